// Converts DSA and DH keys between integers and DER (RFC 3279 sections 2.3.2 and 2.3.3, PKCS#3).
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { bits, contentOf, DER, type Element, octets, oid, readBits, readElement, readElements, readInside, readUnsigned, sequence, unsigned } from '../der.ts';
import { power } from './modular.ts';

const DSA = '1.2.840.10040.4.1';
const PKCS3 = '1.2.840.113549.1.3.1';
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
  /** The order of the subgroup that the generator generates, if it is known. */
  readonly subgroup?: bigint | undefined;
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

/** The parameters of PKCS#3 have no place for it, and node:crypto reads no keys with those of X9.42. */
const subgroups = new WeakMap<KeyObject, bigint>();

/** @throws errors of node:crypto for impossible values */
export function dhKey(kind: 'PrivateKey' | 'PublicKey', { prime, generator, subgroup, value }: DhParts): KeyObject {
  const algorithm = sequence(oid(PKCS3), sequence(unsigned(prime), unsigned(generator)));
  const key = kind === 'PrivateKey' ? privateKey(algorithm, value) : publicKey(algorithm, value);
  if (subgroup !== undefined) subgroups.set(key, subgroup);
  return key;
}

/**
 * Whether a public key is in the subgroup of the private one (NIST SP 800-56A section 5.6.2.3.1): each shared secret with one that is not shows a part
 * of the private key. True if neither key tells the order, or the generator is not of this order.
 */
export function isInSubgroup(own: KeyObject, other: KeyObject): boolean {
  const { prime, generator, value } = dhParts(other);
  const order = subgroups.get(own) ?? subgroups.get(other);
  return order === undefined || power(generator, order, prime) !== 1n || power(value, order, prime) === 1n;
}

interface Opened {
  readonly parameters: readonly Element[];
  readonly value: bigint;
}

function parseKey(key: KeyObject): Opened {
  if (key.type === 'private') {
    const [, algorithm, wrapped] = readInside(readElement(key.export({ format: 'der', type: 'pkcs8' }), WHAT), DER.sequence, WHAT);
    return { parameters: parametersOf(algorithm), value: readUnsigned(readElement(contentOf(wrapped, DER.octets, WHAT), WHAT), WHAT) };
  }
  const [algorithm, wrapped] = readInside(readElement(key.export({ format: 'der', type: 'spki' }), WHAT), DER.sequence, WHAT);
  return { parameters: parametersOf(algorithm), value: readUnsigned(readElements(readBits(wrapped, WHAT), WHAT)[0], WHAT) };
}

function parametersOf(algorithm: Element | undefined): Element[] {
  return readInside(readInside(algorithm, DER.sequence, WHAT)[1], DER.sequence, WHAT);
}

/** The integers of a private or public DSA key. */
export function dsaParts(key: KeyObject): DsaParts {
  const { parameters, value } = parseKey(key);
  const [p = 0n, q = 0n, g = 0n] = parameters.map((each) => readUnsigned(each, WHAT));
  return { p, q, g, value };
}

/** The integers of a private or public DH key. */
export function dhParts(key: KeyObject): DhParts {
  const { parameters, value } = parseKey(key);
  const [prime = 0n, generator = 0n] = parameters.map((each) => readUnsigned(each, WHAT));
  return { prime, generator, subgroup: subgroups.get(key), value };
}

/** The test of a longer one would take a second or more. */
const MAX_TESTED = 1n << 4096n;

/** Fermat's test, which a number that is no prime fails unless it was made to pass. */
const mayBePrime = (n: bigint): boolean => n % 2n === 1n && (n >= MAX_TESTED || power(2n, n - 1n, n) === 1n);

/** Whether the numbers can be those of a DH key: with others, everybody can compute its secrets (NIST SP 800-56A sections 5.6.1.1 and 5.6.2.3.1). */
export function isDhKey(key: KeyObject): boolean {
  const { prime, generator, value } = dhParts(key);
  const isElement = (each: bigint): boolean => each > 1n && each < prime - 1n;
  const inRange = key.type === 'public' ? isElement(value) : value > 0n && value < prime - 1n;
  return isElement(generator) && inRange && mayBePrime(prime) && keepsToSubgroup(key);
}

/** If the key tells the order of its subgroup, the order divides P - 1, and a public key is an element of it. The test of a longer one would take a second or more. */
function keepsToSubgroup(key: KeyObject): boolean {
  const { prime, subgroup } = dhParts(key);
  if (subgroup === undefined) return true;
  if ((prime - 1n) % subgroup !== 0n) return false;
  return key.type !== 'public' || (prime >= MAX_TESTED && subgroup >= MAX_ORDER) || isInSubgroup(key, key);
}

/** Longer orders are not standardised (FIPS 186-4 section 4.2), and this bounds the time of the check. */
const MAX_ORDER = 1n << 512n;

/** Whether the numbers can be those of a DSA key (FIPS 186-4 section 4.1): with a generator or public key of 1, signatures verify that nobody has made. */
export function isDsaKey(key: KeyObject): boolean {
  const { p, q, g, value } = dsaParts(key);
  const isOfOrder = (each: bigint): boolean => each > 1n && each < p && power(each, q, p) === 1n;
  if (q >= MAX_ORDER || !mayBePrime(q) || !mayBePrime(p) || !isOfOrder(g)) return false;
  return key.type === 'public' ? isOfOrder(value) : value > 0n && value < q;
}
