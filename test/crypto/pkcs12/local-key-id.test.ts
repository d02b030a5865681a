// Of several certificates of one key in a PKCS#12 file, the one with the key's localKeyId is its certificate, wherever it stands (RFC 2985 section 5.5.2).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import { context, DER, element, nullElement, octets, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { generatePair } from '../../../crypto/key/key-pair.ts';
import { readPkcs12 } from '../../../crypto/pkcs12/pkcs12.ts';
import { dataInfo } from '../../../crypto/pkcs12/pkcs12-bags.ts';
import { Pkcs12Password } from '../../../crypto/pkcs12/pkcs12-password.ts';
import { certify } from '../x509/certify.ts';

const BAG = '1.2.840.113549.1.12.10.1';
const PASSWORD = 'x';
const keys = generatePair('EC', { curve: 'P_256' });
const certificate = (notAfter: number) =>
  certify({ subjectPublicKey: keys.publicKey, subject: { CN: ['x'] }, issuerKey: keys.privateKey, notBefore: 0, notAfter });
const [old, current] = [certificate(1), certificate(2)] as const;

const marked = (value: Uint8Array) => element(DER.set, sequence(oid('1.2.840.113549.1.9.21'), element(DER.set, value)));
const mark = (id: string | undefined) => (id === undefined ? [] : [marked(octets(Buffer.from(id)))]);
const certificateBag = (der: Uint8Array, id?: string) =>
  sequence(oid(`${BAG}.3`), context(0, sequence(oid('1.2.840.113549.1.9.22.1'), context(0, octets(der)))), ...mark(id));
const keyBagWith = (...marks: readonly Uint8Array[]) =>
  sequence(oid(`${BAG}.1`), context(0, keys.privateKey.export({ format: 'der', type: 'pkcs8' })), ...marks);
const keyBag = (id?: string) => keyBagWith(...mark(id));

/** @returns the certificate that is the key's in a file of these bags, none of them encrypted */
async function certificateIn(...bags: readonly Uint8Array[]): Promise<Buffer> {
  const safes = sequence(dataInfo(sequence(...bags)));
  const salt = Buffer.alloc(8, 1);
  const key = await new Pkcs12Password(PASSWORD).own('mac', { hash: 'sha256', salt, iterations: 1, length: 32 });
  const digest = createHmac('sha256', key).update(safes).digest();
  const mac = sequence(sequence(sequence(oid('2.16.840.1.101.3.4.2.1'), nullElement()), octets(digest)), octets(salt), unsigned(1n));
  const { certificates } = await readPkcs12(sequence(unsigned(3n), dataInfo(safes), mac), PASSWORD);
  return Buffer.from(certificates[0] as Uint8Array);
}

test('the certificate that the file names is taken, whichever comes first', async () => {
  assert.ok((await certificateIn(certificateBag(old), certificateBag(current, 'a'), keyBag('a'))).equals(current));
  assert.ok((await certificateIn(certificateBag(old, 'b'), certificateBag(current, 'a'), keyBag('a'))).equals(current));
  assert.ok((await certificateIn(keyBag('b'), certificateBag(current, 'a'), certificateBag(old, 'b'))).equals(old));
});

test('where it names none, the first certificate of the key is taken', async () => {
  assert.ok((await certificateIn(certificateBag(old), certificateBag(current), keyBag())).equals(old));
  assert.ok((await certificateIn(certificateBag(old), certificateBag(current), keyBag('a'))).equals(old));
});

test('a localKeyId that is no octet string is refused', async () => {
  assert.ok((await certificateIn(certificateBag(old), keyBagWith(marked(octets(Buffer.of(1)))))).equals(old));
  await assert.rejects(certificateIn(certificateBag(old), keyBagWith(marked(unsigned(1n)))), { code: 'invalid' });
});

test.run();
