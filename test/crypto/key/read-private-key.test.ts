// Private keys that OpenSSL reads but cannot compute with: they are refused, and the next key of the thread is not.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { context, octets, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { readPrivateKey } from '../../../crypto/key/read-private-key.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import { importKey } from '../../../kmip/key-format/key-format.ts';

const good = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' });
const CURVE = { 'P-256': '1.2.840.10045.3.1.7', 'P-521': '1.3.132.0.35', brainpoolP320r1: '1.3.36.3.3.2.8.1.1.9' };

/** ECPrivateKey of RFC 5915, and PKCS#8 around it. */
function keyWith(value: Buffer, curve: string): { sec1: Buffer; pkcs8: Buffer } {
  const sec1 = sequence(unsigned(1n), octets(value), context(0, oid(curve)));
  return { sec1, pkcs8: sequence(unsigned(0n), sequence(oid('1.2.840.10045.2.1'), oid(curve)), octets(sec1)) };
}

const refused = (error: unknown) => {
  const { reason, message = '' } = refusalOf(error) ?? {};
  return reason === 'InvalidField' && /^KeyMaterial: cannot be read as a PrivateKey in the format (PKCS_8|ECPrivateKey)$/.test(message);
};

for (const [name, curve] of Object.entries(CURVE)) {
  test(`an EC key on ${name} with more bytes than the order is refused, and the keys after it are read`, () => {
    for (const bytes of [67, 115, 1000]) {
      const { sec1, pkcs8 } = keyWith(Buffer.alloc(bytes, 0xff), curve);
      for (let again = 0; again < 3; again++) {
        assert.throws(() => importKey('PrivateKey', 'PKCS_8', pkcs8, 'EC'), refused);
        assert.equal(importKey('PrivateKey', 'PKCS_8', good, 'EC').asymmetricKeyType, 'ec');
        assert.throws(() => importKey('PrivateKey', 'ECPrivateKey', sec1, 'EC'), refused);
        assert.throws(() => readPrivateKey(pkcs8, 'pkcs8'));
        assert.equal(readPrivateKey(good, 'pkcs8').asymmetricKeyType, 'ec');
      }
    }
  });
}

test('leading zeros do not make a value longer', () => {
  const { pkcs8 } = keyWith(Buffer.concat([Buffer.alloc(40), Buffer.of(5)]), CURVE['P-256']);
  assert.deepEqual(
    importKey('PrivateKey', 'PKCS_8', pkcs8, 'EC').export({ format: 'jwk' }).d,
    Buffer.concat([Buffer.alloc(31), Buffer.of(5)]).toString('base64url'),
  );
});

test.run();
