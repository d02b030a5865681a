// DHKEM whose power another party takes makes the secret that OpenSSL makes, on every curve of RFC 9180.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { decapsulate, dhkemSecret, encapsulate, kemOf } from '../../../crypto/key/encapsulation.ts';
import { agree } from '../../../crypto/key/key-agreement.ts';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { exportRaw, importRaw } from '../../../crypto/key/raw-key.ts';

const CURVES = [
  ['EC', 'P_256'],
  ['EC', 'P_384'],
  ['EC', 'P_521'],
  ['ECDH', 'CURVE25519'],
  ['ECDH', 'CURVE448'],
] as const;

for (const [algorithm, curve] of CURVES)
  test(`DHKEM on ${curve}`, async () => {
    const { privateKey, publicKey } = await generatePair(algorithm, { curve });
    const { sharedSecret, ciphertext } = encapsulate(publicKey);
    const dh = agree(privateKey, importRaw('PublicKey', ciphertext, algorithm, curve));
    const made = dhkemSecret({ curve, dh, ciphertext, recipient: exportRaw(publicKey) });
    assert.deepEqual(Buffer.from(made), Buffer.from(sharedSecret));
    assert.deepEqual(Buffer.from(decapsulate(privateKey, ciphertext)), Buffer.from(sharedSecret));
    assert.throws(() => decapsulate(privateKey, ciphertext.subarray(1)), { code: 'failed' });
  });

test('other keys have no mechanism', async () => {
  for (const [algorithm, curve] of [
    ['EC', 'SECP256K1'],
    ['EC', 'P_224'],
    ['Ed25519', undefined],
  ] as const)
    assert.throws(() => kemOf({ algorithm, ...(curve && { curve }) }), { code: 'unsupported' });
  const { publicKey } = await generatePair('RSA', { length: 2048 });
  assert.throws(() => encapsulate(publicKey), { code: 'unsupported' });
  assert.equal(keyFacts(publicKey).algorithm, 'RSA');
});

test.run();
