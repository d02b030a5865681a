// Reads and writes PKCS#12 files in DER: a private key, its certificate and the certificates of the issuers, with a password (RFC 7292).
import { createHash, createHmac, createPublicKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { contentOf, DER, type Element, nullElement, octets, oid, readElement, readInside, readUnsigned, sequence, unsigned } from '../der.ts';
import { readPrivateKey } from '../key/read-private-key.ts';
import { isSameKey } from '../key/same-key.ts';
import { type CertificateFacts, certificateFacts } from '../x509/certificate-facts.ts';
import { isSameName } from '../x509/distinguished-name.ts';
import { isSignedBy } from '../x509/signed-der.ts';
import { type Bag, contentInfo, DATA, dataInfo, readBags, writeBags } from './pkcs12-bags.ts';
import { algorithmIn, ITERATIONS } from './pkcs12-encryption.ts';
import { hashBytes, type Pkcs12Hash, Pkcs12Password } from './pkcs12-password.ts';

export interface Pkcs12 {
  readonly privateKey: KeyObject;
  /** DER of the certificate of the key, then of its issuer and so on, as far as the file contains them. */
  readonly certificates: readonly Uint8Array[];
  readonly friendlyName: string | undefined;
}

const WHAT = 'the PKCS#12 file';
const MAX_BYTES = 1_048_576;
const MAC_SALT_BYTES = 16;
const SHA256 = '2.16.840.1.101.3.4.2.1';

const HASHES: Readonly<Record<string, Pkcs12Hash>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  [SHA256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/**
 * @param friendlyName of the key to read, regardless of case; by default the first key
 * @throws CryptoError invalid if the file is not PKCS#12 or is not supported, failed if the password is wrong
 */
export async function readPkcs12(file: Uint8Array, password: string, friendlyName?: string): Promise<Pkcs12> {
  if (file.length > MAX_BYTES) throw new CryptoError('invalid', `${WHAT} is longer than ${MAX_BYTES} bytes`);
  const [version, content, mac] = readInside(readElement(file, WHAT), DER.sequence, WHAT);
  if (readUnsigned(version, WHAT) !== 3n) throw new CryptoError('invalid', `${WHAT} must be of version 3`);
  const [type, data] = contentInfo(content);
  if (type !== DATA || !mac) throw new CryptoError('invalid', `${WHAT} has no MAC; write it again with a MAC made from its password`);
  const safes = contentOf(data, DER.octets, WHAT);
  const secret = new Pkcs12Password(password);
  await checkMac(mac, safes, secret);
  return chooseBags(await readBags(safes, secret), friendlyName);
}

async function checkMac(mac: Element, safes: Uint8Array, password: Pkcs12Password): Promise<void> {
  const [info, salt, iterations] = readInside(mac, DER.sequence, WHAT);
  const [algorithm, digest] = readInside(info, DER.sequence, WHAT);
  const [name] = algorithmIn(algorithm);
  const hash = HASHES[name];
  if (!hash) throw new CryptoError('invalid', `${WHAT} has a MAC of ${name}; use HMAC with SHA-1 or SHA-2`);
  const expected = contentOf(digest, DER.octets, WHAT);
  const derivation = { hash, salt: contentOf(salt, DER.octets, WHAT), iterations: iterations ? Number(readUnsigned(iterations, WHAT)) : 1 };
  const isRight = async () => {
    const found = createHmac(hash, await password.own('mac', { ...derivation, length: hashBytes(hash) }))
      .update(safes)
      .digest();
    return found.length === expected.length && timingSafeEqual(found, expected);
  };
  if (await isRight()) return;
  if (password.mayBeNothing) {
    password.takeAsNothing();
    if (await isRight()) return;
  }
  throw new CryptoError('failed', `the password does not open ${WHAT}, or the file was changed`);
}

function chooseBags(bags: readonly Bag[], friendlyName: string | undefined): Pkcs12 {
  const keys = bags.filter(({ kind }) => kind === 'key');
  const wanted = friendlyName?.toLowerCase();
  const key = wanted === undefined ? keys[0] : keys.find((bag) => bag.friendlyName?.toLowerCase() === wanted);
  if (!key) throw new CryptoError('invalid', keys.length === 0 ? `${WHAT} has no private key` : `${WHAT} has no private key with that friendly name`);
  const privateKey = privateKeyOf(key.content);
  const publicKey = createPublicKey(privateKey);
  const certificates = bags.filter(({ kind }) => kind === 'certificate');
  const all = certificates.map(({ content, localKeyId }) => ({ der: content, facts: certificateFacts(content), localKeyId }));
  const owns = all.filter(({ facts }) => isSameKey(facts.publicKey, publicKey));
  // Of a key that was certified again, the file says which certificate is in use.
  const own = owns.find(({ localKeyId }) => localKeyId !== undefined && key.localKeyId?.equals(localKeyId)) ?? owns[0];
  if (!own) throw new CryptoError('invalid', `${WHAT} has no certificate for its private key`);
  const chain = [own];
  for (let issuer = issuerOf(own.facts, all); issuer && !chain.includes(issuer); issuer = issuerOf(issuer.facts, all)) chain.push(issuer);
  return { privateKey, certificates: chain.map(({ der }) => new Uint8Array(der)), friendlyName: key.friendlyName };
}

function issuerOf<T extends { readonly facts: CertificateFacts }>({ issuer, signed }: CertificateFacts, all: readonly T[]): T | undefined {
  return all.find(({ facts }) => isSameName(facts.subject.der, issuer.der) && isSignedBy(signed, facts.publicKey, WHAT));
}

function privateKeyOf(key: Buffer): KeyObject {
  try {
    return readPrivateKey(key, 'pkcs8');
  } catch {
    throw new CryptoError('invalid', `${WHAT} has a private key that is malformed or of an unknown algorithm`);
  } finally {
    key.fill(0);
  }
}

/** Writes AES-256 with PBKDF2 and SHA-256, and a MAC with SHA-256; all programs of recent years can read this. */
export async function writePkcs12({ privateKey, certificates, friendlyName = 'alias' }: Pkcs12, password: string): Promise<Uint8Array> {
  const secret = new Pkcs12Password(password);
  const key = privateKey.export({ format: 'der', type: 'pkcs8' });
  const localKeyId = createHash('sha1')
    .update(certificates[0] ?? key)
    .digest();
  const safes = await writeBags(key, certificates, { friendlyName, localKeyId }, secret);
  key.fill(0);
  const salt = randomBytes(MAC_SALT_BYTES);
  const digest = createHmac('sha256', await secret.own('mac', { hash: 'sha256', salt, iterations: ITERATIONS, length: 32 }))
    .update(safes)
    .digest();
  const mac = sequence(sequence(sequence(oid(SHA256), nullElement()), octets(digest)), octets(salt), unsigned(BigInt(ITERATIONS)));
  return new Uint8Array(sequence(unsigned(3n), dataInfo(safes), mac));
}
