// Certificates by keys for PSS only: the parameters of the key are in the algorithm of the signature, and node:crypto and OpenSSL's program agree.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import { readElement } from '../../../crypto/der.ts';
import { validateChain } from '../../../crypto/x509/certificate-chain.ts';
import { certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import { readPss, writePss } from '../../../crypto/x509/pss-parameters.ts';
import { certify } from './certify.ts';

const NOW = 1_800_000_000;
const DAY = 86_400;
const extensions = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign';
const dates = { notBefore: NOW - DAY, notAfter: NOW + DAY };

/** Options of the key, then the hash, the mask hash and the salt of its signatures as OpenSSL prints them. */
const KEYS: readonly (readonly [options: object, ...printed: string[]])[] = [
  [{}, 'sha256', 'mgf1 with sha256', '0x20'],
  [{ hashAlgorithm: 'sha512', mgf1HashAlgorithm: 'sha256', saltLength: 20 }, 'sha512', 'mgf1 with sha256', '0x40'],
  [{ hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha1', saltLength: 40 }, 'sha256', 'mgf1 with sha1', '0x28'],
  [{ hashAlgorithm: 'sha384', mgf1HashAlgorithm: 'sha384', saltLength: 0 }, 'sha384', 'mgf1 with sha384', '0x30'],
  [{ hashAlgorithm: 'sha1', mgf1HashAlgorithm: 'sha1', saltLength: 20 }, 'sha1 (default)', 'mgf1 with sha1 (default)', '0x14 (default)'],
];

for (const [options, hash, mask, salt] of KEYS) {
  test(`a key for PSS only certifies itself and others: ${JSON.stringify(options)}`, () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048, ...options });
    const root = certify({ subjectPublicKey: publicKey, subject: { CN: ['root'] }, issuerKey: privateKey, extensions, ...dates });
    const subjectPublicKey = generateKeyPairSync('ed25519').publicKey;
    const leaf = certify({ subjectPublicKey, subject: { CN: ['leaf'] }, issuerKey: privateKey, issuerCertificate: root, ...dates });
    assert.deepEqual(validateChain([leaf, root], NOW), { valid: true });
    assert.ok(new X509Certificate(leaf).verify(publicKey));
    assert.equal(certificateFacts(leaf).signatureAlgorithm, 'RSASSA_PSS');
    const changed = Buffer.from(leaf);
    changed[changed.length - 3] = (changed[changed.length - 3] as number) ^ 1;
    assert.equal(validateChain([changed, root], NOW).valid, false);
    const printed = execFileSync('openssl', ['x509', '-inform', 'DER', '-noout', '-text'], { input: leaf, encoding: 'utf8' }).toLowerCase();
    for (const part of [`hash algorithm: ${hash}`, `mask algorithm: ${mask}`]) assert.ok(printed.includes(part), part);
    // Versions of OpenSSL differ in the 0x.
    assert.match(printed, new RegExp(`salt length: (0x)?${salt?.slice(2).replace(/[()]/g, '.')}`));
  });
}

test('parameters are read as they were written', () => {
  for (const hashingAlgorithm of ['SHA_1', 'SHA_256', 'SHA_512_256', 'SHA3_384'] as const)
    for (const maskGeneratorHashingAlgorithm of ['SHA_1', 'SHA_512'] as const)
      for (const saltLength of [0, 20, 32, 200]) {
        const parameters = { paddingMethod: 'PSS', hashingAlgorithm, maskGeneratorHashingAlgorithm, saltLength } as const;
        assert.deepEqual(readPss(readElement(writePss(parameters), 'it'), 'it'), parameters);
      }
});

test.run();
