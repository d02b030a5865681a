// Converts RSA keys between integers and PKCS#1 (RFC 8017 appendix A.1).
import { constants, createPrivateKey, createPublicKey, type KeyObject, privateEncrypt, publicDecrypt, randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, readBits, readElement, readInside, readUnsigned, sequence, unsigned } from '../der.ts';
import { keyFacts } from './key-algorithm.ts';
import { contradictionIn, sayContradiction } from './rsa-contradiction.ts';
import { completeRsa, type RsaIntegers } from './rsa-integers.ts';

const WHAT = 'KeyMaterial';

const PKCS1_ORDER: readonly (keyof RsaIntegers)[] = [
  'modulus',
  'publicExponent',
  'privateExponent',
  'p',
  'q',
  'primeExponentP',
  'primeExponentQ',
  'crtCoefficient',
];

/** @throws errors of node:crypto for impossible values */
export function rsaPublicKey({ modulus, publicExponent }: Pick<RsaIntegers, 'modulus' | 'publicExponent'>): KeyObject {
  return createPublicKey({ key: sequence(unsigned(modulus), unsigned(publicExponent)), format: 'der', type: 'pkcs1' });
}

/**
 * @param given must determine the key; missing integers are computed
 * @throws CryptoError missing_data or invalid; errors of node:crypto for impossible values
 */
export function rsaPrivateKey(given: Partial<RsaIntegers> & Pick<RsaIntegers, 'modulus'>): KeyObject {
  const complete = completeRsa(given);
  const key = sequence(unsigned(0n), ...PKCS1_ORDER.map((name) => unsigned(complete[name])));
  try {
    return createPrivateKey({ key, format: 'der', type: 'pkcs1' });
  } finally {
    key.fill(0);
  }
}

/**
 * DER of PKCS#1. OpenSSL exports neither a public key that was imported as PKCS#1 in this form, nor a private key for PSS only, but
 * SubjectPublicKeyInfo and PKCS#8 contain the same bytes.
 */
export function rsaToPkcs1(key: KeyObject): Buffer {
  if (key.type === 'private' && key.asymmetricKeyType === 'rsa') return key.export({ format: 'der', type: 'pkcs1' });
  if (key.type === 'private')
    return contentOf(readInside(readElement(key.export({ format: 'der', type: 'pkcs8' }), WHAT), DER.sequence, WHAT)[2], DER.octets, WHAT);
  const spki = readElement(key.export({ format: 'der', type: 'spki' }), WHAT);
  return readBits(readInside(spki, DER.sequence, WHAT)[1], WHAT);
}

/** All integers of a private key, or modulus and public exponent of a public key. @throws CryptoError unsupported for more than two primes */
export function rsaIntegersOf(key: KeyObject): Partial<RsaIntegers> {
  const members = readInside(readElement(rsaToPkcs1(key), WHAT), DER.sequence, WHAT);
  if (members.length > PKCS1_ORDER.length + 1) throw new CryptoError('unsupported', `${WHAT}: RSA keys with more than two primes are not supported`);
  const integers = members.map((each) => readUnsigned(each, WHAT));
  // A private key begins with its version.
  const first = key.type === 'public' ? 0 : 1;
  const names = key.type === 'public' ? PKCS1_ORDER.slice(0, 2) : PKCS1_ORDER;
  return Object.fromEntries(names.map((name, at) => [name, integers[at + first] ?? 0n]));
}

/** OpenSSL does not compute with longer public exponents if the modulus is longer than this. */
const LONG_MODULUS = 1n << 3072n;
const SHORT_EXPONENT = 1n << 64n;

/**
 * Whether modulus and public exponent can be those of an RSA key. OpenSSL reads any numbers, and fails when it computes with them.
 * With an exponent of one it does not even fail: what it encrypts is readable.
 */
export function isRsaPublicKey(key: KeyObject): boolean {
  const { modulus = 0n, publicExponent: e = 0n } = rsaIntegersOf(key.type === 'private' ? createPublicKey(key) : key);
  return modulus % 2n === 1n && e % 2n === 1n && e >= 3n && e < (modulus < LONG_MODULUS ? modulus : SHORT_EXPONENT);
}

/** What is wrong with the numbers of a private key. @returns undefined if they belong together @throws CryptoError unsupported for more than two primes */
export function rsaPrivateFlaw(key: KeyObject): string | undefined {
  const contradiction = contradictionIn(rsaIntegersOf(key) as RsaIntegers);
  if (contradiction) return sayContradiction(contradiction);
  return computes(key) ? undefined : 'P or Q is no prime';
}

/** Whether a key takes its own operation back. It does not if P or Q is no prime, and a check of that takes a hundred times as long. */
function computes(key: KeyObject): boolean {
  const privateKey = bareKey(key);
  const message = randomBytes(Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8));
  // So it is less than the modulus.
  message[0] = 0;
  const padding = constants.RSA_NO_PADDING;
  try {
    return publicDecrypt({ key: createPublicKey(privateKey), padding }, privateEncrypt({ key: privateKey, padding }, message)).equals(message);
  } catch {
    return false;
  }
}

const bareKeys = new WeakMap<KeyObject, KeyObject>();

/** A key for PSS only as one for any padding, because OpenSSL refuses it the bare operation. Whoever uses it keeps the restrictions of the key. */
export function bareKey(key: KeyObject): KeyObject {
  if (!keyFacts(key).isForPssOnly) return key;
  let bare = bareKeys.get(key);
  if (bare === undefined) {
    const der = rsaToPkcs1(key);
    const pkcs1 = { key: der, format: 'der', type: 'pkcs1' } as const;
    bare = key.type === 'private' ? createPrivateKey(pkcs1) : createPublicKey(pkcs1);
    der.fill(0);
    bareKeys.set(key, bare);
  }
  return bare;
}
