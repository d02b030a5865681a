// RSA keys for PSS only (RFC 4055): they make signatures of that kind and no others, also where PKCS #1 v1.5 is the default.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import type { CryptoError } from '../../../crypto/crypto-error.ts';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import { sign, signInPool, verify } from '../../../crypto/signature/sign.ts';
import { signStream, verifyStream } from '../../../crypto/signature/signature-stream.ts';

const data = Buffer.from('The quick brown fox jumps over the lazy dog');
const only = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const any = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PSS = { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_256' } as const;
const PKCS1 = { paddingMethod: 'PKCS1V1_5', hashingAlgorithm: 'SHA_256' } as const;
const refused = (error: unknown) => (error as CryptoError).code === 'failed';

test('they sign with PSS, whole, in parts and in the pool', async () => {
  assert.deepEqual([keyFacts(only.privateKey).isForPssOnly, keyFacts(any.privateKey).isForPssOnly], [true, undefined]);
  const stream = signStream(only.privateKey, PSS);
  stream.update(data);
  for (const signature of [sign(only.privateKey, PSS, { data }), await signInPool(only.privateKey, PSS, data), stream.final()])
    assert.ok(verify(only.publicKey, PSS, { data }, signature));
});

test('without PSS they neither sign nor verify', async () => {
  for (const parameters of [{}, PKCS1]) {
    assert.throws(() => sign(only.privateKey, parameters, { data }), refused);
    await assert.rejects(signInPool(only.privateKey, parameters, data), refused);
    const stream = signStream(only.privateKey, parameters);
    stream.update(data);
    assert.throws(() => stream.final(), refused);
  }
  const signature = sign(only.privateKey, PSS, { data });
  assert.throws(() => verify(only.publicKey, PKCS1, { data }, signature), refused);
  // In parts OpenSSL tells a key that does not fit from a wrong signature no more.
  const stream = verifyStream(only.publicKey, PKCS1);
  stream.update(data);
  assert.equal(stream.final(signature), false);
});

test('other RSA keys sign with PKCS #1 v1.5 by default, which no PSS signature is', async () => {
  const signature = sign(any.privateKey, {}, { data });
  // That padding is deterministic.
  assert.deepEqual(await signInPool(any.privateKey, PKCS1, data), signature);
  assert.ok(verify(any.publicKey, PKCS1, { data }, signature));
  assert.equal(verify(any.publicKey, PSS, { data }, signature), false);
  assert.equal(verify(any.publicKey, PKCS1, { data }, sign(any.privateKey, PSS, { data })), false);
});

test.run();
