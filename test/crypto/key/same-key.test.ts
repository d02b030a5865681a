// Keys are compared without harm to what the thread does next: OpenSSL keeps the error of keys of two types, and the next private key failed with it.
import assert from 'node:assert/strict';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { test } from 'uvu';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { isSameKey } from '../../../crypto/key/same-key.ts';
import { read, SOURCES } from '../../house/sources.ts';
import { certify } from '../x509/certify.ts';

const PAIRS = [
  generatePair('EC', { curve: 'P_256' }),
  generatePair('EC', { curve: 'P_256' }),
  generatePair('EC', { curve: 'P_384' }),
  generatePair('Ed25519', {}),
  generatePair('Ed448', {}),
  generatePair('RSA', { length: 2048 }),
];
const ders = PAIRS.map(({ privateKey }) => privateKey.export({ format: 'der', type: 'pkcs8' }));
const reads = (): KeyObject[] => ders.map((key) => createPrivateKey({ key, format: 'der', type: 'pkcs8' }));

test('a key is the same as itself only, and private keys can be read after each comparison', () => {
  for (const [at, { publicKey, privateKey }] of PAIRS.entries())
    for (const [other, pair] of PAIRS.entries()) {
      assert.equal(isSameKey(publicKey, pair.publicKey), at === other);
      reads();
      assert.equal(isSameKey(privateKey, pair.privateKey), at === other);
      reads();
    }
});

test('a certificate that is refused because its issuer has a key of another type leaves nothing behind', () => {
  const [ec, , , edwards] = PAIRS as [(typeof PAIRS)[0], (typeof PAIRS)[0], (typeof PAIRS)[0], (typeof PAIRS)[0]];
  const options = { subject: { CN: ['x'] }, notBefore: 1_800_000_000, notAfter: 1_800_086_400 };
  assert.throws(() => certify({ ...options, subjectPublicKey: ec.publicKey, issuerKey: edwards.privateKey }), /the private key is not that of the public key/);
  reads();
});

test('no source compares keys in another way', () => {
  const compares = /key\w*\)*(\([^()]*\))?\)*\.equals\(/i;
  assert.match('(await publicKeyOf(key)).equals(subjectKey)', compares);
  assert.match('facts.publicKey.equals(publicKey)', compares);
  const found = SOURCES.filter((file) => compares.test(read(file)));
  assert.deepEqual(found, [], 'call isSameKey of crypto/key/same-key.ts');
});

test.run();
