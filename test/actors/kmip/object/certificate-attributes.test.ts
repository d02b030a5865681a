// What the attributes of a registered certificate say, held against what it was made from.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import { describeCertificate } from '../../../../actors/kmip/object/attributes/certificate-attributes.ts';
import { certificateContent } from '../../../../actors/kmip/object/forms/certificate-content.ts';
import { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { bytes, enumeration, integer, type Node, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { bytesOf, children, textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { certify } from '../../../crypto/x509/certify.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const DER = certify({
  subjectPublicKey: publicKey,
  issuerKey: privateKey,
  subject: { CN: ['Müller, Söhne'], O: ['Acme'], OU: ['One', 'Two'], C: ['NL'] },
  notBefore: 1_700_000_000,
  notAfter: 1_800_000_000,
  extensions: 'subjectAltName=DNS:a.example,email:b@c.example\n',
  serial: Buffer.from('00ab12', 'hex'),
});

function described(content: Structure, ...given: readonly Node[]): AttributeSet {
  const attributes = AttributeSet.of(structure(TAG.Attributes, given));
  describeCertificate(content, attributes);
  return attributes;
}

const texts = (attributes: AttributeSet, tag: number) => attributes.all(tag).map(({ node }) => node.value);
const first = (attributes: AttributeSet, tag: number) => attributes.first(tag) as Structure;

test('a certificate is described by its length, key, signature and names', () => {
  const attributes = described(certificateContent(DER));
  assert.equal(attributes.first(TAG.CertificateType)?.value, ENUM.CertificateType.X_509);
  assert.equal(attributes.first(TAG.CertificateLength)?.value, DER.length);
  assert.equal(attributes.first(TAG.CryptographicAlgorithm)?.value, ENUM.CryptographicAlgorithm.EC);
  assert.equal(attributes.first(TAG.CryptographicLength)?.value, 384);
  assert.equal(attributes.first(TAG.DigitalSignatureAlgorithm)?.value, ENUM.DigitalSignatureAlgorithm.ECDSAWithSHA384);
  assert.deepEqual(texts(attributes, TAG.CertificateSubjectCN), ['Müller, Söhne']);
  assert.deepEqual(texts(attributes, TAG.CertificateSubjectOU), ['One', 'Two']);
  assert.deepEqual(texts(attributes, TAG.CertificateIssuerC), ['NL']);
  assert.deepEqual(texts(attributes, TAG.CertificateSubjectL), []);
});

test('structures hold the names in DER for KMIP 1.1 and later, and in text for KMIP 1.0', () => {
  const attributes = described(certificateContent(DER));
  const identifier = first(attributes, TAG.X_509CertificateIdentifier);
  assert.deepEqual(Buffer.from(bytesOf(identifier, TAG.CertificateSerialNumber) as Uint8Array).toString('hex'), '020300ab12');
  const name = Buffer.from(bytesOf(first(attributes, TAG.X_509CertificateSubject), TAG.SubjectDistinguishedName) as Uint8Array);
  assert.equal(name[0], 0x30);
  assert.ok(Buffer.from(DER).includes(name));
  const alternative = children(first(attributes, TAG.X_509CertificateSubject), TAG.SubjectAlternativeName).map(({ value }) =>
    Buffer.from(value as Uint8Array).toString(),
  );
  assert.deepEqual(alternative, ['a.example', 'b@c.example']);
  assert.equal(textOf(first(attributes, TAG.CertificateSubject), TAG.CertificateSubjectDistinguishedName), 'CN=Müller\\, Söhne,OU=Two,OU=One,O=Acme,C=NL');
  assert.equal(textOf(first(attributes, TAG.CertificateIdentifier), TAG.SerialNumber), 'AB12');
});

test('describing a certificate again leaves nothing of the one before', () => {
  const attributes = described(certificateContent(DER));
  const other = certify({ subjectPublicKey: publicKey, issuerKey: privateKey, subject: { CN: ['Other'] }, notBefore: 0, notAfter: 1 });
  describeCertificate(certificateContent(other), attributes);
  assert.deepEqual(texts(attributes, TAG.CertificateSubjectCN), ['Other']);
  assert.equal(attributes.has(TAG.CertificateSubjectO), false);
});

test('a PGP certificate is told by its type and length only', () => {
  const type = enumeration(TAG.CertificateType, ENUM.CertificateType.PGP);
  const attributes = described(structure(TAG.Certificate, [type, bytes(TAG.CertificateValue, Buffer.alloc(77))]));
  assert.deepEqual([...attributes.tags()], [TAG.CertificateType, TAG.CertificateLength]);
  assert.equal(attributes.first(TAG.CertificateLength)?.value, 77);
});

test('what is no certificate, or another than the attributes say, is refused', () => {
  const refuses = (content: Structure, ...given: readonly Node[]) =>
    assert.throws(
      () => described(content, ...given),
      (error: unknown) => refusalOf(error)?.reason === 'InvalidField',
    );
  refuses(certificateContent(DER.subarray(0, DER.length - 1)));
  refuses(certificateContent(Buffer.from('3000', 'hex')));
  refuses(certificateContent(Buffer.alloc(0)));
  refuses(certificateContent(DER), enumeration(TAG.CertificateType, ENUM.CertificateType.PGP));
  refuses(certificateContent(DER), enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.RSA));
  refuses(certificateContent(DER), integer(TAG.CryptographicLength, 256));
  assert.ok(described(certificateContent(DER), enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm.ECDSA)));
});

test.run();
