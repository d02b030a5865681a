// DER: the encodings of X.690, and that whatever comes in is read or refused, never a crash.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { CryptoError } from '../../crypto/crypto-error.ts';
import { element, octets, oid, readElement, readElements, readOid, readUnsigned, sequence, unsigned } from '../../crypto/der.ts';
import { keyFacts } from '../../crypto/key/key-algorithm.ts';
import { generatePair } from '../../crypto/key/key-pair.ts';
import { verify } from '../../crypto/signature/sign.ts';
import { validateChain } from '../../crypto/x509/certificate-chain.ts';
import { certificateFacts } from '../../crypto/x509/certificate-facts.ts';
import { readCertificateRequest } from '../../crypto/x509/certificate-request.ts';
import { refusalOf } from '../../kmip/crypto-refusal.ts';
import { exportKey, importKey } from '../../kmip/key-format/key-format.ts';
import type { KeyFormatType } from '../../kmip/key-format/key-format-type.ts';
import { certify } from './x509/certify.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('integers, identifiers and lengths as X.690 writes them', () => {
  for (const [value, encoded] of [
    [0n, '020100'],
    [127n, '02017f'],
    [128n, '02020080'],
    [256n, '02020100'],
    [0xffffn, '020300ffff'],
  ] as const) {
    assert.equal(hex(unsigned(value)), encoded);
    assert.equal(readUnsigned(readElement(unsigned(value), 'x'), 'x'), value);
  }
  for (const [dotted, encoded] of [
    ['1.2.840.113549', '06062a864886f70d'],
    ['2.5.4.3', '0603550403'],
    ['2.999.3', '0603883703'],
    ['0.9.2342', '0603099226'],
  ] as const) {
    assert.equal(hex(oid(dotted)), encoded);
    assert.equal(readOid(readElement(oid(dotted), 'x'), 'x'), dotted);
  }
  assert.equal(hex(octets(Buffer.alloc(127))).slice(0, 4), '047f');
  assert.equal(hex(octets(Buffer.alloc(128))).slice(0, 6), '048180');
  assert.equal(hex(octets(Buffer.alloc(256))).slice(0, 8), '04820100');
  assert.equal(hex(sequence()), '3000');
});

test('identifiers keep all digits, and have one encoding', () => {
  const read = (encoded: string) => readOid(readElement(Buffer.from(encoded, 'hex'), 'x'), 'x');
  assert.equal(read('060a69908080808080808000'), '2.25.1152921504606846976');
  assert.equal(read('060a69908080808080808001'), '2.25.1152921504606846977');
  for (const bad of ['060480551d13', '06042a80551d']) assert.throws(() => read(bad), /not well-formed DER/);
});

test('what is not DER is refused', () => {
  for (const bad of ['30', '3001', '3080', '308100', '30810100', '3082000100', '3f0100', '30850000000001', '0500' + '00']) {
    assert.throws(
      () => readElement(Buffer.from(bad, 'hex'), 'x'),
      (error: unknown) => error instanceof CryptoError && error.message === 'x is not well-formed DER',
      bad,
    );
  }
  for (const bad of ['0200', '0201ff', '02020001', '0301'])
    assert.throws(() => readUnsigned(readElements(Buffer.from(bad, 'hex'), 'x')[0], 'x'), CryptoError, bad);
  assert.throws(() => readOid(readElement(element(6, Buffer.of(0x80)), 'x'), 'x'), CryptoError);
  assert.throws(() => readOid(readElement(element(6), 'x'), 'x'), CryptoError);
});

test('elements are read back as they were written', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(2, 4, 12, 0x30, 0xa0), fc.uint8Array({ maxLength: 300 })), { maxLength: 5 }), (parts) => {
      const read = readElements(Buffer.concat(parts.map(([tag, content]) => element(tag, content))), 'x');
      assert.deepEqual(
        read.map(({ tag, content }) => [tag, hex(content)]),
        parts.map(([tag, content]) => [tag, hex(content)]),
      );
    }),
    { numRuns: 50 },
  );
});

/** Bytes with some of them changed, some cut off, or some put in. */
const spoiled = (bytes: Uint8Array) =>
  fc
    .tuple(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 }), fc.nat(3), fc.nat(bytes.length))
    .map(([changes, how, at]) => {
      const other = Buffer.from(bytes);
      for (const [index, value] of changes) other[index] = value;
      if (how === 0) return other.subarray(0, at);
      return how === 1 ? Buffer.concat([other.subarray(0, at), Buffer.of(0x30, 0x80), other.subarray(at)]) : other;
    });

/** Runs `read`; only a refusal may leave it. */
function onlyRefuses(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!refusalOf(error)) throw error;
  }
}

test('spoiled certificates, requests, keys and signatures are refused or read', () => {
  const { privateKey, publicKey } = generatePair('EC');
  const der = certify({
    subjectPublicKey: publicKey,
    subject: { CN: ['a'], Email: ['b@c'] },
    issuerKey: privateKey,
    notBefore: 0,
    notAfter: 9,
    extensions: 'subjectAltName=IP:::1,DNS:a\nbasicConstraints=CA:TRUE',
  });
  fc.assert(
    fc.property(spoiled(der), (bytes) => {
      onlyRefuses(() => certificateFacts(bytes));
      onlyRefuses(() => readCertificateRequest(bytes));
      assert.equal(typeof validateChain([bytes, der], 5).valid, 'boolean');
      assert.ok(bytes.equals(der) || !validateChain([bytes], 5).valid);
    }),
    { numRuns: 400 },
  );
  const rsa = generatePair('RSA');
  const keys: [KeyFormatType, Buffer][] = [
    ['PKCS_8', exportKey(privateKey, 'PKCS_8') as Buffer],
    ['ECPrivateKey', exportKey(privateKey, 'ECPrivateKey') as Buffer],
    ['PKCS_1', exportKey(rsa.privateKey, 'PKCS_1') as Buffer],
  ];
  for (const [format, bytes] of keys)
    fc.assert(
      fc.property(spoiled(bytes), (changed) => onlyRefuses(() => keyFacts(importKey('PrivateKey', format, changed, undefined)))),
      { numRuns: 150 },
    );
  const spki = exportKey(publicKey, 'X_509') as Buffer;
  fc.assert(
    fc.property(spoiled(spki), (changed) => onlyRefuses(() => keyFacts(importKey('PublicKey', 'X_509', changed, undefined)))),
    { numRuns: 150 },
  );
  const digest = Buffer.alloc(32, 1);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (signature) => verify(publicKey, {}, { digest }, signature) === false),
    { numRuns: 150 },
  );
});

test.run();
