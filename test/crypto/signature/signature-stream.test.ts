// Signatures over data in parts are those over the whole.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'uvu';
import type { CryptoError } from '../../../crypto/crypto-error.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm, CryptographicParameters } from '../../../crypto/parameters.ts';
import { sign, verify } from '../../../crypto/signature/sign.ts';
import { signStream, verifyStream } from '../../../crypto/signature/signature-stream.ts';

const parts = ['one ', '', 'two ', 'three'].map((part) => Buffer.from(part));
const data = Buffer.concat(parts);

const cases: [CryptographicAlgorithm, CryptographicParameters][] = [
  ['RSA', {}],
  ['RSA', { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_384' }],
  ['RSA', { paddingMethod: 'PSS', hashingAlgorithm: 'SHA_256', maskGeneratorHashingAlgorithm: 'SHA_512' }],
  ['ECDSA', { hashingAlgorithm: 'SHA_512' }],
  ['Ed25519', {}],
  ['Ed448', {}],
  ['MLDSA_44', {}],
];

for (const [algorithm, parameters] of cases) {
  test(`${algorithm} ${JSON.stringify(parameters)}`, () => {
    const { privateKey, publicKey } = generatePair(algorithm);
    const signing = signStream(privateKey, parameters);
    for (const part of parts) signing.update(part);
    const signature = signing.final();
    assert.ok(verify(publicKey, parameters, { data }, signature));
    for (const [end, expected] of [
      [undefined, true],
      [-1, false],
    ] as const) {
      const verifying = verifyStream(publicKey, parameters);
      for (const part of parts.slice(0, end)) verifying.update(part);
      assert.equal(verifying.final(sign(privateKey, parameters, { data })), expected);
    }
  });
}

test('where nothing says how RSA is padded, either padding is verified: whole, as a digest and in parts', () => {
  const { privateKey, publicKey } = generatePair('RSA');
  const verified = (parameters: CryptographicParameters, signature: Uint8Array) => {
    const verifying = verifyStream(publicKey, parameters);
    for (const part of parts) verifying.update(part);
    const digest = hash('sha256', data, 'buffer');
    return [verify(publicKey, parameters, { data }, signature), verify(publicKey, parameters, { digest }, signature), verifying.final(signature)];
  };
  const pss = sign(privateKey, { digitalSignatureAlgorithm: 'RSASSA_PSS', hashingAlgorithm: 'SHA_256', maskGeneratorHashingAlgorithm: 'SHA_256' }, { data });
  const pkcs1 = sign(privateKey, {}, { data });
  assert.deepEqual([verified({}, pss), verified({}, pkcs1)], [Array(3).fill(true), Array(3).fill(true)]);
  assert.deepEqual(verified({ paddingMethod: 'PKCS1V1_5' }, pss), Array(3).fill(false));
  assert.deepEqual(verified({ digitalSignatureAlgorithm: 'SHA_256WithRSAEncryption' }, pss), Array(3).fill(false));
  assert.deepEqual(verified({ paddingMethod: 'PSS' }, pkcs1), Array(3).fill(false));
  const other = Uint8Array.from(pss, (byte, at) => (at === 9 ? byte ^ 1 : byte));
  assert.deepEqual(verified({}, other), Array(3).fill(false));
});

test('r || s also comes in parts', () => {
  const { privateKey, publicKey } = generatePair('ECDSA', { curve: 'P_384' });
  const signing = signStream(privateKey, {}, 'ieee-p1363');
  signing.update(data);
  const signature = signing.final();
  assert.equal(signature.length, 96);
  const verifying = verifyStream(publicKey, {}, 'ieee-p1363');
  verifying.update(data);
  assert.ok(verifying.final(signature));
});

test('what is said to be a signature of another algorithm is none in parts either', () => {
  for (const algorithm of ['ECDSA', 'Ed25519'] as const) {
    const { privateKey, publicKey } = generatePair(algorithm);
    const verifying = verifyStream(publicKey, { digitalSignatureAlgorithm: 'SHA_256WithRSAEncryption' });
    verifying.update(data);
    assert.equal(verifying.final(sign(privateKey, {}, { data })), false);
  }
});

test('what has to be held is limited', () => {
  const { privateKey, publicKey } = generatePair('Ed25519');
  const large = Buffer.alloc(64 * 1024 * 1024);
  for (const stream of [signStream(privateKey, {}), verifyStream(publicKey, {})]) {
    stream.update(large);
    assert.throws(
      () => stream.update(Buffer.of(0)),
      (error: unknown) => (error as CryptoError).code === 'too_large',
    );
  }
});

test.run();
