// RSA keys for PSS only (RFC 4055): they make signatures of that kind and no others, also where PKCS #1 v1.5 is the default.
import assert from 'node:assert/strict';
import {
  constants,
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
  sign as opensslSign,
  verify as opensslVerify,
} from 'node:crypto';
import { test } from 'uvu';
import type { CryptoError } from '../../../crypto/crypto-error.ts';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import { rsaToPkcs1 } from '../../../crypto/key/rsa-key.ts';
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

function pairWith(mgf1HashAlgorithm: string, saltLength: number): KeyPairKeyObjectResult {
  // The declarations of node:crypto have a text here.
  return generateKeyPairSync('rsa-pss', { modulusLength: 2048, hashAlgorithm: 'sha256', mgf1HashAlgorithm, saltLength: saltLength as unknown as string });
}

/** Its parameters (RFC 4055 section 3.1) allow one hash, one mask hash, and no short salts. */
const narrow = pairWith('sha1', 24);
const padding = constants.RSA_PKCS1_PSS_PADDING;
const digest = createHash('sha256').update(data).digest();

test('they sign and verify a digest, and with another hash for the mask', () => {
  const mixed = { ...PSS, maskGeneratorHashingAlgorithm: 'SHA_384' } as const;
  for (const parameters of [PSS, mixed]) {
    const ofDigest = sign(only.privateKey, parameters, { digest });
    const ofData = sign(only.privateKey, parameters, { data });
    for (const signature of [ofDigest, ofData]) {
      assert.ok(verify(only.publicKey, parameters, { data }, signature));
      assert.ok(verify(only.publicKey, parameters, { digest }, signature));
    }
  }
  const saltLength = digest.length;
  assert.ok(opensslVerify('sha256', data, { key: only.publicKey, padding, saltLength }, sign(only.privateKey, PSS, { digest })));
});

test('the parameters of a key are its defaults', () => {
  const signature = opensslSign('sha256', data, { key: narrow.privateKey, padding, saltLength: 30 });
  for (const parameters of [{ paddingMethod: 'PSS' }, PSS, { ...PSS, maskGeneratorHashingAlgorithm: 'SHA_1', saltLength: 30 }, {}] as const) {
    assert.ok(verify(narrow.publicKey, parameters, { data }, signature));
    assert.ok(verify(narrow.publicKey, parameters, { digest }, signature));
    assert.equal(verify(narrow.publicKey, parameters, { data: digest }, signature), false);
    const stream = verifyStream(narrow.publicKey, parameters);
    stream.update(data);
    assert.ok(stream.final(signature));
  }
  const own = sign(narrow.privateKey, { paddingMethod: 'PSS' }, { data });
  assert.ok(opensslVerify('sha256', data, { key: narrow.publicKey, padding, saltLength: digest.length }, own));
});

test('what the parameters of a key do not allow is refused, also to a digest', () => {
  const refusals = [
    { ...PSS, hashingAlgorithm: 'SHA_512_256' },
    { ...PSS, maskGeneratorHashingAlgorithm: 'SHA_256' },
    { ...PSS, saltLength: 23 },
  ] as const;
  const why = (error: unknown) => /^the key is for PSS with SHA_256, MGF1 with SHA_1 and a salt of at least 24 bytes only$/.test((error as Error).message);
  for (const parameters of refusals)
    for (const input of [{ data }, { digest }]) {
      assert.throws(() => sign(narrow.privateKey, parameters, input), why);
      assert.throws(() => verify(narrow.publicKey, parameters, input, Buffer.alloc(256)), why);
    }
});

test('a signature with a shorter salt than the key requires is wrong', () => {
  const key = narrow.privateKey.export({ format: 'der', type: 'pkcs8' });
  // The same numbers, for any padding and salt.
  const free = createPrivateKey({ key: rsaToPkcs1(createPrivateKey({ key, format: 'der', type: 'pkcs8' })), format: 'der', type: 'pkcs1' });
  const parameters = { ...PSS, maskGeneratorHashingAlgorithm: 'SHA_1' } as const;
  for (const saltLength of [23, 24, 25])
    assert.equal(verify(narrow.publicKey, parameters, { data }, sign(free, { ...parameters, saltLength }, { data })), saltLength >= 24);
});

test('without a salt length a key that requires more than the hash has tells what it needs', () => {
  const long = pairWith('sha256', 40);
  const why = (error: unknown) => /SaltLength: the key requires a salt of at least 40 bytes/.test((error as Error).message);
  for (const input of [{ data }, { digest }]) assert.throws(() => sign(long.privateKey, PSS, input), why);
  assert.ok(verify(long.publicKey, PSS, { data }, sign(long.privateKey, { ...PSS, saltLength: 40 }, { digest })));
});

test.run();
