// Converts DSA and DH keys between integers and DER (RFC 3279 sections 2.3.2 and 2.3.3, PKCS#3).
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import {
  bits,
  contentOf,
  DER,
  type Element,
  octets,
  oid,
  readBits,
  readElement,
  readElements,
  readInside,
  readOid,
  readUnsigned,
  sequence,
  unsigned,
} from '../der.ts';

const DSA = '1.2.840.10040.4.1';
const PKCS3 = '1.2.840.113549.1.3.1';
/** DH of ANSI X9.42, whose parameters differ from PKCS#3: the third one is the subgroup order. */
const X942 = '1.2.840.10046.2.1';
const WHAT = 'KeyMaterial';

interface DsaParts {
  readonly p: bigint;
  readonly q: bigint;
  readonly g: bigint;
  /** x of a private key, y of a public key. */
  readonly value: bigint;
}

interface DhParts {
  readonly prime: bigint;
  readonly generator: bigint;
  /** Only for keys that were imported with X9.42 parameters. */
  readonly subgroup?: bigint;
  readonly value: bigint;
}

const privateKey = (algorithm: Buffer, value: bigint): KeyObject =>
  createPrivateKey({ key: sequence(unsigned(0n), algorithm, octets(unsigned(value))), format: 'der', type: 'pkcs8' });

const publicKey = (algorithm: Buffer, value: bigint): KeyObject =>
  createPublicKey({ key: sequence(algorithm, bits(unsigned(value))), format: 'der', type: 'spki' });

/** @throws errors of node:crypto for impossible values */
export function dsaKey(kind: 'PrivateKey' | 'PublicKey', { p, q, g, value }: DsaParts): KeyObject {
  const algorithm = sequence(oid(DSA), sequence(unsigned(p), unsigned(q), unsigned(g)));
  return kind === 'PrivateKey' ? privateKey(algorithm, value) : publicKey(algorithm, value);
}

/** Makes a key with the parameters of PKCS#3, so without the subgroup. @throws errors of node:crypto for impossible values */
export function dhKey(kind: 'PrivateKey' | 'PublicKey', { prime, generator, value }: DhParts): KeyObject {
  const algorithm = sequence(oid(PKCS3), sequence(unsigned(prime), unsigned(generator)));
  return kind === 'PrivateKey' ? privateKey(algorithm, value) : publicKey(algorithm, value);
}

interface Opened {
  readonly oid: string;
  readonly parameters: readonly Element[];
  readonly value: bigint;
}

function parseKey(key: KeyObject): Opened {
  if (key.type === 'private') {
    const [, algorithm, wrapped] = readInside(readElement(key.export({ format: 'der', type: 'pkcs8' }), WHAT), DER.sequence, WHAT);
    return { ...algorithmOf(algorithm), value: readUnsigned(readElement(contentOf(wrapped, DER.octets, WHAT), WHAT), WHAT) };
  }
  const [algorithm, wrapped] = readInside(readElement(key.export({ format: 'der', type: 'spki' }), WHAT), DER.sequence, WHAT);
  return { ...algorithmOf(algorithm), value: readUnsigned(readElements(readBits(wrapped, WHAT), WHAT)[0], WHAT) };
}

function algorithmOf(algorithm: Element | undefined): { oid: string; parameters: Element[] } {
  const [identifier, parameters] = readInside(algorithm, DER.sequence, WHAT);
  return { oid: readOid(identifier, WHAT), parameters: readInside(parameters, DER.sequence, WHAT) };
}

/** The integers of a private or public DSA key. */
export function dsaParts(key: KeyObject): DsaParts {
  const { parameters, value } = parseKey(key);
  const [p = 0n, q = 0n, g = 0n] = parameters.map((each) => readUnsigned(each, WHAT));
  return { p, q, g, value };
}

/** The integers of a private or public DH key. */
export function dhParts(key: KeyObject): DhParts {
  const { oid: identifier, parameters, value } = parseKey(key);
  const [prime = 0n, generator = 0n, third] = parameters.filter(({ tag }) => tag === DER.integer).map((each) => readUnsigned(each, WHAT));
  return identifier === X942 && third !== undefined ? { prime, generator, subgroup: third, value } : { prime, generator, value };
}
