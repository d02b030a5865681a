// New keys whose bytes have another format than the declared one: refused, and private keys never taken for public ones.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'uvu';
import { nullElement, octets, oid, sequence, unsigned } from '../../../crypto/der.ts';
import { flawOf } from '../../../crypto/key/sound-key.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import { requireDeclaredFormat } from '../../../kmip/key-format/declared-format.ts';
import { exportKey, importKey } from '../../../kmip/key-format/key-format.ts';
import type { KeyFormatType } from '../../../kmip/key-format/key-format-type.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const FORMATS: readonly KeyFormatType[] = ['PKCS_1', 'PKCS_8', 'ECPrivateKey', 'X_509', 'Raw'];

const kindOf = ({ type }: KeyObject) => (type === 'private' ? 'PrivateKey' : 'PublicKey');
const isRsa = ({ asymmetricKeyType }: KeyObject) => asymmetricKeyType?.startsWith('rsa') === true;
const refused = (text: RegExp) => (error: unknown) => refusalOf(error)?.reason === 'InvalidField' && text.test(refusalOf(error)?.message ?? '');

/** Undefined for a format that the key does not have. */
function exported(key: KeyObject, format: KeyFormatType): Buffer | undefined {
  try {
    return Buffer.from(exportKey(key, format) as Uint8Array);
  } catch {
    return undefined;
  }
}

test('keys in the formats that they have', () => {
  for (const { privateKey, publicKey } of [rsa, pss, ec, ed])
    for (const key of [privateKey, publicKey])
      for (const format of FORMATS) {
        const material = exported(key, format);
        if (material) requireDeclaredFormat(kindOf(key), format, isRsa(key), material);
      }
});

test('what OpenSSL reads in another format than the declared one is refused with the name of its own', () => {
  let misread = 0;
  for (const { privateKey: key } of [rsa, pss, ec, ed])
    for (const own of ['PKCS_1', 'PKCS_8', 'ECPrivateKey'] as const)
      for (const declared of FORMATS) {
        const material = exported(key, own);
        if (!material || declared === own || declared === 'X_509' || (declared === 'Raw' && (own === 'PKCS_1' || !isRsa(key)))) continue;
        const text = new RegExp(`^KeyMaterial: these bytes are not a PrivateKey in the format ${declared}: they are ${own}$`);
        assert.throws(() => requireDeclaredFormat('PrivateKey', declared, isRsa(key), material), refused(text));
        misread++;
      }
  assert.ok(misread >= 10);
});

test('a private key is never a public one, though OpenSSL finds its public half', () => {
  for (const { privateKey: key } of [rsa, pss, ec, ed])
    for (const own of ['PKCS_1', 'PKCS_8', 'ECPrivateKey'] as const) {
      const material = exported(key, own);
      if (!material) continue;
      if (own === 'PKCS_8' && key === rsa.privateKey) assert.equal(importKey('PublicKey', 'PKCS_1', material, 'RSA').type, 'public');
      for (const declared of ['PKCS_1', 'PKCS_8', 'X_509'] as const)
        assert.throws(() => requireDeclaredFormat('PublicKey', declared, isRsa(key), material), refused(/they are a private key, which must not be given out/));
    }
});

test('bytes behind a key, and other sequences', () => {
  const behind = Buffer.concat([exported(rsa.publicKey, 'PKCS_1') as Buffer, Buffer.of(5, 0)]);
  assert.throws(() => requireDeclaredFormat('PublicKey', 'PKCS_1', true, behind), refused(/KeyMaterial is not well-formed DER/));
  const other = sequence(unsigned(1n), unsigned(2n), unsigned(3n));
  assert.throws(() => requireDeclaredFormat('PublicKey', 'PKCS_1', true, other), refused(/PKCS_1: they are something else$/));
});

test('a structure of a version that does not exist is refused, which OpenSSL passes over', () => {
  const of = (key: KeyObject, format: KeyFormatType, version: number) => {
    const material = exported(key, format) as Buffer;
    // INTEGER of one byte: the first member.
    material[material.indexOf(Buffer.of(2, 1)) + 2] = version;
    return () => requireDeclaredFormat('PrivateKey', format, isRsa(key), material);
  };
  for (const [key, format, right, wrong] of [
    [rsa.privateKey, 'PKCS_1', [0], [1, 2, 9]],
    [rsa.privateKey, 'PKCS_8', [0, 1], [2, 9]],
    [ec.privateKey, 'ECPrivateKey', [1], [0, 2]],
  ] as const) {
    for (const version of right) of(key, format, version)();
    for (const version of wrong)
      assert.throws(of(key, format, version), refused(new RegExp(`^KeyMaterial: the version of the ${format} structure must be [01]`)));
  }
});

/** RFC 8017 appendix A.1.2: version 1, with OtherPrimeInfos. The third prime is made up, because nothing computes with it. */
test('an RSA key with three primes is refused by its name', () => {
  const jwk = rsa.privateKey.export({ format: 'jwk' });
  const number = (text: string | undefined) => BigInt(`0x${Buffer.from(text ?? '', 'base64url').toString('hex')}`);
  const two = [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi].map((each) => unsigned(number(each)));
  const third = sequence(sequence(unsigned(65_539n), unsigned(3n), unsigned(5n)));
  const pkcs1 = sequence(unsigned(1n), ...two, third);
  const pkcs8 = sequence(unsigned(0n), sequence(oid('1.2.840.113549.1.1.1'), nullElement()), octets(pkcs1));
  const key = importKey('PrivateKey', 'PKCS_8', pkcs8, 'RSA');
  assert.throws(
    () => flawOf(key),
    (error) => /^KeyMaterial: RSA keys with more than two primes are not supported$/.test(refusalOf(error)?.message ?? ''),
  );
});

test.run();
