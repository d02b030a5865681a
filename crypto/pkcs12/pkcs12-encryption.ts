// Encrypts and decrypts with a password: PBES2 with AES or triple DES; for old files, PKCS#12's own triple DES (RFC 8018 section 6.2, RFC 7292 appendix C).
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, type Element, nullElement, octets, oid, readInside, readOid, readUnsigned, sequence, unsigned } from '../der.ts';
import type { Pkcs12Hash, Pkcs12Password } from './pkcs12-password.ts';

const PBES2 = '1.2.840.113549.1.5.13';
const PBKDF2 = '1.2.840.113549.1.5.12';
const AES_256_CBC = '2.16.840.1.101.3.4.1.42';
const HMAC_SHA256 = '1.2.840.113549.2.9';

interface Scheme {
  readonly cipher: string;
  readonly keyBytes: number;
  readonly ivBytes: number;
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  '2.16.840.1.101.3.4.1.2': { cipher: 'aes-128-cbc', keyBytes: 16, ivBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { cipher: 'aes-192-cbc', keyBytes: 24, ivBytes: 16 },
  [AES_256_CBC]: { cipher: 'aes-256-cbc', keyBytes: 32, ivBytes: 16 },
  '1.2.840.113549.3.7': { cipher: 'des-ede3-cbc', keyBytes: 24, ivBytes: 8 },
};

const PRFS: Readonly<Record<string, Pkcs12Hash>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  [HMAC_SHA256]: 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
};

const OWN: Readonly<Record<string, Scheme>> = {
  '1.2.840.113549.1.12.1.3': { cipher: 'des-ede3-cbc', keyBytes: 24, ivBytes: 8 },
  '1.2.840.113549.1.12.1.4': { cipher: 'des-ede-cbc', keyBytes: 16, ivBytes: 8 },
};

const BROKEN: ReadonlySet<string> = new Set(['1', '2', '5', '6'].map((last) => `1.2.840.113549.1.12.1.${last}`));

/** Iterations for files that the server writes. More iterations make it slower to open the file, but also to guess its password. */
export const ITERATIONS = 50_000;
const SALT_BYTES = 16;

const WHAT = 'the PKCS#12 file';

/**
 * @param algorithm an AlgorithmIdentifier
 * @throws CryptoError invalid for an algorithm that is not supported, failed if the password does not decrypt the data
 */
export async function decryptByPassword(algorithm: Element | undefined, data: Uint8Array, password: Pkcs12Password): Promise<Buffer> {
  const { scheme, key, iv } = await keyFor(algorithm, password);
  if (data.length === 0 || data.length % scheme.ivBytes !== 0)
    throw new CryptoError('invalid', `${WHAT} has encrypted contents that are empty or not a whole number of blocks`);
  try {
    const decipher = createDecipheriv(scheme.cipher, key, iv);
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch {
    throw new CryptoError('failed', `the password does not open the contents of ${WHAT}`);
  } finally {
    key.fill(0);
  }
}

interface Keyed {
  readonly scheme: Scheme;
  readonly key: Buffer;
  readonly iv: Uint8Array;
}

async function keyFor(identifier: Element | undefined, password: Pkcs12Password): Promise<Keyed> {
  const [algorithm, parameters] = algorithmIn(identifier);
  if (BROKEN.has(algorithm))
    throw new CryptoError('invalid', `${WHAT} is encrypted with RC2 or RC4: not supported; write it again with AES, as openssl pkcs12 does without -legacy`);
  const own = OWN[algorithm];
  if (own) {
    const [salt, iterations] = readInside(parameters, DER.sequence, WHAT);
    const derivation = { hash: 'sha1', salt: contentOf(salt, DER.octets, WHAT), iterations: Number(readUnsigned(iterations, WHAT)) } as const;
    const key = await password.own('key', { ...derivation, length: own.keyBytes });
    return { scheme: own, key, iv: await password.own('iv', { ...derivation, length: own.ivBytes }) };
  }
  if (algorithm !== PBES2) throw unsupported('encryption', algorithm);
  const [derivation, encryption] = readInside(parameters, DER.sequence, WHAT);
  const [cipher, initial] = algorithmIn(encryption);
  const scheme = SCHEMES[cipher];
  if (!scheme) throw unsupported('cipher', cipher);
  const iv = contentOf(initial, DER.octets, WHAT);
  if (iv.length !== scheme.ivBytes) throw new CryptoError('invalid', `${WHAT} has an IV of the wrong length for its cipher`);
  return { scheme, key: await pbkdf2Key(derivation, scheme, password), iv };
}

function pbkdf2Key(identifier: Element | undefined, { keyBytes }: Scheme, password: Pkcs12Password): Promise<Buffer> {
  const [algorithm, parameters] = algorithmIn(identifier);
  if (algorithm !== PBKDF2) throw unsupported('key derivation', algorithm);
  const [salt, iterations, ...rest] = readInside(parameters, DER.sequence, WHAT);
  const length = rest.find(({ tag }) => tag === DER.integer);
  if (length && readUnsigned(length, WHAT) !== BigInt(keyBytes)) throw new CryptoError('invalid', `${WHAT} has a key length that its cipher does not allow`);
  const prf = rest.find(({ tag }) => tag === DER.sequence);
  const name = prf === undefined ? undefined : algorithmIn(prf)[0];
  const hash = name === undefined ? 'sha1' : PRFS[name];
  if (!hash) throw unsupported('pseudo-random function', name ?? '');
  return password.pbkdf2({ hash, salt: contentOf(salt, DER.octets, WHAT), iterations: Number(readUnsigned(iterations, WHAT)), length: keyBytes });
}

/** @param identifier an AlgorithmIdentifier @throws CryptoError invalid */
export function algorithmIn(identifier: Element | undefined): [algorithm: string, parameters: Element | undefined] {
  const [algorithm, parameters] = readInside(identifier, DER.sequence, WHAT);
  return [readOid(algorithm, WHAT), parameters];
}

const unsupported = (what: string, name: string): CryptoError =>
  new CryptoError('invalid', `${WHAT} has the ${what} ${name}: PBES2 with PBKDF2 and AES or triple DES is supported`);

/** Uses PBES2 with AES-256-CBC and PBKDF2 with HMAC-SHA-256. @returns the AlgorithmIdentifier and the encrypted data */
export async function encryptByPassword(data: Uint8Array, password: Pkcs12Password): Promise<{ algorithm: Buffer; data: Buffer }> {
  const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(16)];
  const key = await password.pbkdf2({ hash: 'sha256', salt, iterations: ITERATIONS, length: 32 });
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const encrypted = Buffer.concat([cipher.update(data), cipher.final()]);
  key.fill(0);
  const derivation = sequence(octets(salt), unsigned(BigInt(ITERATIONS)), sequence(oid(HMAC_SHA256), nullElement()));
  const parameters = sequence(sequence(oid(PBKDF2), derivation), sequence(oid(AES_256_CBC), octets(iv)));
  return { algorithm: sequence(oid(PBES2), parameters), data: encrypted };
}
