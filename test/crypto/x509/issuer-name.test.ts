// The name of an issuer is the same in other letter cases, spaces and string types, for chains, revocation lists and PKCS#12 files (RFC 5280 section 7.1).
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { DER, element, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { readPkcs12, writePkcs12 } from '../../../crypto/pkcs12/pkcs12.ts';
import { sign } from '../../../crypto/signature/sign.ts';
import { validateChain } from '../../../crypto/x509/certificate-chain.ts';
import { writeTime } from '../../../crypto/x509/certificate-time.ts';
import { isSameName } from '../../../crypto/x509/distinguished-name.ts';
import { signedDer, unsignedDer } from '../../../crypto/x509/signed-der.ts';
import { certify } from './certify.ts';

const NOW = 1_800_000_000;
const DAYS = { notBefore: NOW - 86_400, notAfter: NOW + 86_400 };
const CA = 'basicConstraints=critical,CA:TRUE';
const ORGANIZATION = '2.5.4.10';

const name = (tag: number, text: string): Buffer =>
  sequence(element(DER.set, sequence(oid(ORGANIZATION), element(tag, tag === DER.bmp ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text)))));

const WRITTEN = name(DER.utf8, 'Example Root');
const SAME = [name(DER.printable, 'Example Root'), name(DER.utf8, ' EXAMPLE  root '), name(DER.bmp, 'example root')];
const OTHERS = [name(DER.utf8, 'Example Roots'), name(DER.utf8, 'ExampleRoot'), sequence()];

const [authority, leaf] = [generatePair('EC', { curve: 'P_256' }), generatePair('EC', { curve: 'P_256' })];
const root = (subject: Buffer): Uint8Array =>
  certify({ subjectPublicKey: authority.publicKey, subject, issuerKey: authority.privateKey, extensions: CA, ...DAYS });

/** Issued by the key of the authority under this way to write its name. */
const below = (issuer: Buffer, serial = Buffer.of(0x11)): Uint8Array =>
  certify({ serial, subjectPublicKey: leaf.publicKey, subject: { CN: ['leaf'] }, issuerKey: authority.privateKey, issuerCertificate: root(issuer), ...DAYS });

test('names are the same whatever their case, spaces and string type', () => {
  for (const each of SAME) assert.ok(isSameName(WRITTEN, each), each.toString('hex'));
  for (const each of OTHERS) assert.ok(!isSameName(WRITTEN, each), each.toString('hex'));
});

test('a chain holds if the issuer is written in another way, and not with another name', () => {
  for (const each of SAME) assert.deepEqual(validateChain([below(each), root(WRITTEN)], NOW), { valid: true }, each.toString('hex'));
  for (const each of OTHERS.slice(0, 2)) assert.equal(validateChain([below(each), root(WRITTEN)], NOW).valid, false, each.toString('hex'));
});

test('an authority that renews its key under its name in other letters does not lengthen the path', () => {
  const next = generatePair('EC', { curve: 'P_256' });
  const more = { issuerKey: authority.privateKey, issuerCertificate: root(WRITTEN), ...DAYS };
  const top = certify({ ...more, subjectPublicKey: authority.publicKey, subject: WRITTEN, extensions: `${CA},pathlen:0` });
  const renewed = certify({ ...more, subjectPublicKey: next.publicKey, subject: SAME[1] as Buffer, extensions: CA });
  const end = certify({ subjectPublicKey: leaf.publicKey, subject: { CN: ['leaf'] }, issuerKey: next.privateKey, issuerCertificate: renewed, ...DAYS });
  assert.deepEqual(validateChain([end, renewed, top], NOW), { valid: true });
});

/** A list of the authority that revokes one serial number. */
function revoking(serial: number, issuer: Buffer): Buffer {
  const entry = sequence(unsigned(BigInt(serial)), writeTime(NOW - 100));
  const times = [writeTime(NOW - 50), writeTime(NOW + 50)];
  const list = unsignedDer(authority.publicKey, (identifier) => sequence(unsigned(1n), identifier, issuer, ...times, sequence(entry)));
  return signedDer(list, sign(authority.privateKey, list.parameters, { data: list.data }));
}

test('a revocation list holds for the certificates of its issuer, written in another way', () => {
  for (const each of [WRITTEN, ...SAME]) {
    const why = (serial: number) => validateChain([below(WRITTEN), root(WRITTEN)], NOW, [revoking(serial, each)]).why;
    assert.equal(why(0x11), 'a certificate was revoked', each.toString('hex'));
    assert.equal(why(0x12), undefined);
  }
});

test('the certificates of a PKCS#12 file have their issuer, written in another way', async () => {
  for (const each of SAME) {
    const certificates = [below(each), root(WRITTEN)];
    const file = await writePkcs12({ privateKey: leaf.privateKey, certificates, friendlyName: 'leaf' }, 'secret');
    assert.deepEqual((await readPkcs12(file, 'secret')).certificates.map(Buffer.from), certificates);
  }
});

test.run();
