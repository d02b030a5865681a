// Certificates that are refused with what is wrong with them.
import assert from 'node:assert/strict';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { test } from 'uvu';
import { bits, DER, oid, readElement, readInside, sequence } from '../../../crypto/der.ts';
import { dsaKey, dsaParts } from '../../../crypto/key/discrete-log-key.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { certificateFacts } from '../../../crypto/x509/certificate-facts.ts';
import { certify } from './certify.ts';

const dates = { notBefore: 1_800_000_000, notAfter: 1_900_000_000 };
const issuer = generatePair('EC', { curve: 'P_256' });

test('the algorithm inside is that of the signature', () => {
  const der = certify({ subjectPublicKey: issuer.publicKey, subject: { CN: ['one'] }, issuerKey: issuer.privateKey, ...dates });
  assert.equal(certificateFacts(der).signatureAlgorithm, 'ECDSAWithSHA256');
  const [body, , signature] = readInside(readElement(der, 'it'), DER.sequence, 'it');
  const other = sequence(body?.whole as Buffer, sequence(oid('1.2.840.10045.4.3.3')), signature?.whole as Buffer);
  assert.throws(() => certificateFacts(other), /^CryptoError: the certificate names two signature algorithms that differ$/);
  const missing = sequence(sequence(), sequence(oid('1.2.840.10045.4.3.3')), bits(Buffer.of(1)));
  assert.throws(() => certificateFacts(missing), /the certificate must be an X\.509 certificate/);
});

test('with a DSA key whose signatures anybody could make', () => {
  const parts = dsaParts(generatePair('DSA', { length: 2048 }).publicKey);
  const issuerCertificate = certify({ subjectPublicKey: issuer.publicKey, subject: { CN: ['one'] }, issuerKey: issuer.privateKey, ...dates });
  const of = (changed: object) => {
    const subjectPublicKey = dsaKey('PublicKey', { ...parts, ...changed });
    return certificateFacts(certify({ subjectPublicKey, subject: { CN: ['two'] }, issuerKey: issuer.privateKey, issuerCertificate, ...dates }));
  };
  assert.equal(of({}).publicKey.asymmetricKeyType, 'dsa');
  for (const changed of [{ value: 1n }, { g: 1n, value: 1n }]) assert.throws(() => of(changed), /the numbers of the public key are not those of a DSA key/);
});

test('with a point that no private key can have', () => {
  const issuerCertificate = certify({ subjectPublicKey: issuer.publicKey, subject: { CN: ['one'] }, issuerKey: issuer.privateKey, ...dates });
  const spki = (algorithm: readonly Buffer[], point: Uint8Array): KeyObject =>
    createPublicKey({ key: sequence(sequence(...algorithm), bits(point)), format: 'der', type: 'spki' });
  const of = (subjectPublicKey: KeyObject) =>
    certificateFacts(certify({ subjectPublicKey, subject: { CN: ['two'] }, issuerKey: issuer.privateKey, issuerCertificate, ...dates }));
  const one = Uint8Array.of(1, ...new Uint8Array(31));
  assert.equal(of(generatePair('Ed25519', {}).publicKey).publicKey.asymmetricKeyType, 'ed25519');
  for (const type of ['1.3.101.112', '1.3.101.110']) assert.throws(() => of(spki([oid(type)], one)), /^CryptoError: the point of the public key is none/);
});

test.run();
