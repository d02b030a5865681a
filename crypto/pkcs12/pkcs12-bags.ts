// Reads and writes the contents of a PKCS#12 file: safes, some of them encrypted, with bags of keys and certificates (RFC 7292 section 4).
import { CryptoError } from '../crypto-error.ts';
import { contentOf, context, DER, type Element, element, octets, oid, readElement, readInside, readOid, sequence, unsigned } from '../der.ts';
import { decryptByPassword, encryptByPassword } from './pkcs12-encryption.ts';
import type { Pkcs12Password } from './pkcs12-password.ts';

export const DATA = '1.2.840.113549.1.7.1';
const ENCRYPTED = '1.2.840.113549.1.7.6';
const BAG = '1.2.840.113549.1.12.10.1';
const KEY_BAG = `${BAG}.1`;
const SHROUDED_KEY_BAG = `${BAG}.2`;
const CERTIFICATE_BAG = `${BAG}.3`;
const X509 = '1.2.840.113549.1.9.22.1';
const FRIENDLY_NAME = '1.2.840.113549.1.9.20';
const LOCAL_KEY_ID = '1.2.840.113549.1.9.21';
const WHAT = 'the PKCS#12 file';
/** Maximum number of bags in a file. */
const MAX_BAGS = 64;
const MAX_NAME = 256;

export interface Bag {
  /** The content of a `key` is PKCS#8, that of a `certificate` X.509, both in DER. */
  readonly kind: 'key' | 'certificate';
  readonly content: Buffer;
  readonly friendlyName: string | undefined;
  /** The same of a key and of its certificate (RFC 2985 section 5.5.2). */
  readonly localKeyId: Buffer | undefined;
}

/** @param safes the AuthenticatedSafe @throws CryptoError invalid, failed */
export async function readBags(safes: Uint8Array, password: Pkcs12Password): Promise<Bag[]> {
  const bags: Bag[] = [];
  for (const each of readInside(readElement(safes, WHAT), DER.sequence, WHAT))
    for (const bag of readInside(readElement(await safeIn(each, password), WHAT), DER.sequence, WHAT)) {
      const read = await bagIn(bag, password);
      if (read) bags.push(read);
      if (bags.length > MAX_BAGS) throw new CryptoError('invalid', `${WHAT} has more than ${MAX_BAGS} keys and certificates`);
    }
  return bags;
}

/** @param info a ContentInfo @returns its type and the element inside it */
export function contentInfo(info: Element | undefined): [type: string, content: Element | undefined] {
  const [type, explicit] = readInside(info, DER.sequence, WHAT);
  return [readOid(type, WHAT), readInside(explicit, 0xa0, WHAT)[0]];
}

async function safeIn(info: Element, password: Pkcs12Password): Promise<Uint8Array> {
  const [type, content] = contentInfo(info);
  if (type === DATA) return contentOf(content, DER.octets, WHAT);
  if (type !== ENCRYPTED) throw new CryptoError('invalid', `${WHAT} is protected by a key; only protection by a password is supported`);
  const [, encrypted] = readInside(content, DER.sequence, WHAT);
  const [, algorithm, data] = readInside(encrypted, DER.sequence, WHAT);
  return decryptByPassword(algorithm, contentOf(data, 0x80, WHAT), password);
}

/** Returns undefined for other kinds of bags. */
async function bagIn(bag: Element, password: Pkcs12Password): Promise<Bag | undefined> {
  const [type, explicit, attributes] = readInside(bag, DER.sequence, WHAT);
  const kind = readOid(type, WHAT);
  const [value] = readInside(explicit, 0xa0, WHAT);
  const names = { friendlyName: attributes && nameIn(attributes), localKeyId: attributes && localKeyIdIn(attributes) };
  if (kind === KEY_BAG && value) return { kind: 'key', content: value.whole, ...names };
  if (kind === SHROUDED_KEY_BAG) {
    const [algorithm, data] = readInside(value, DER.sequence, WHAT);
    return { kind: 'key', content: await decryptByPassword(algorithm, contentOf(data, DER.octets, WHAT), password), ...names };
  }
  if (kind !== CERTIFICATE_BAG) return undefined;
  const [form, certificate] = readInside(value, DER.sequence, WHAT);
  if (readOid(form, WHAT) !== X509) return undefined;
  return { kind: 'certificate', content: contentOf(readInside(certificate, 0xa0, WHAT)[0], DER.octets, WHAT), ...names };
}

function nameIn(attributes: Element): string | undefined {
  const name = valueIn(attributes, FRIENDLY_NAME, DER.bmp);
  if (name === undefined) return undefined;
  const text = name.length % 2 === 0 && name.length <= MAX_NAME * 2 ? Buffer.from(name).swap16().toString('utf16le') : undefined;
  if (!text?.isWellFormed()) throw new CryptoError('invalid', `${WHAT} has an invalid friendly name; it must be text of at most ${MAX_NAME} characters`);
  return text;
}

const localKeyIdIn = (attributes: Element): Buffer | undefined => valueIn(attributes, LOCAL_KEY_ID, DER.octets);

/** The first value of the first attribute of this type. */
function valueIn(attributes: Element, wanted: string, tag: number): Buffer | undefined {
  for (const attribute of readInside(attributes, DER.set, WHAT)) {
    const [type, values] = readInside(attribute, DER.sequence, WHAT);
    if (readOid(type, WHAT) === wanted) return contentOf(readInside(values, DER.set, WHAT)[0], tag, WHAT);
  }
  return undefined;
}

/** How the file identifies the key and its certificate. */
export interface BagNames {
  readonly friendlyName: string;
  /** The same for key and certificate. */
  readonly localKeyId: Buffer;
}

/**
 * @param key PKCS#8 in DER
 * @param certificates the certificate of the key must be the first
 * @returns the AuthenticatedSafe, with the certificates and the key, each encrypted
 */
export async function writeBags(key: Uint8Array, certificates: readonly Uint8Array[], names: BagNames, password: Pkcs12Password): Promise<Buffer> {
  const marks = attributesOf(names);
  const certificateBags = certificates.map((der, at) =>
    sequence(oid(CERTIFICATE_BAG), context(0, sequence(oid(X509), context(0, octets(der)))), ...(at === 0 ? [marks] : [])),
  );
  const shrouded = await encryptByPassword(key, password);
  const keyBag = sequence(oid(SHROUDED_KEY_BAG), context(0, sequence(shrouded.algorithm, octets(shrouded.data))), marks);
  const { algorithm, data } = await encryptByPassword(sequence(...certificateBags), password);
  const encrypted = sequence(unsigned(0n), sequence(oid(DATA), algorithm, element(0x80, data)));
  return sequence(sequence(oid(ENCRYPTED), context(0, encrypted)), dataInfo(sequence(keyBag)));
}

/** Writes a ContentInfo of plain data. */
export const dataInfo = (content: Uint8Array): Buffer => sequence(oid(DATA), context(0, octets(content)));

function attributesOf({ friendlyName, localKeyId }: BagNames): Buffer {
  const name = Buffer.from(friendlyName, 'utf16le').swap16();
  return element(
    DER.set,
    sequence(oid(FRIENDLY_NAME), element(DER.set, element(DER.bmp, name))),
    sequence(oid(LOCAL_KEY_ID), element(DER.set, octets(localKeyId))),
  );
}
