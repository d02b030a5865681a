// ECDSA and DSA over a given digest, which node:crypto cannot be handed: it always hashes (FIPS 186-5 section 6.4, FIPS 186-4 section 4.6).
import { createECDH, createPublicKey, hash, type KeyObject, sign as opensslSign, verify as opensslVerify, randomBytes } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { DER, readElement, readInside, readUnsigned, sequence, unsigned } from '../der.ts';
import { type Domain, domainOf, opensslCurve } from '../key/curve.ts';
import { dsaKey, dsaParts } from '../key/discrete-log-key.ts';
import { keyFacts } from '../key/key-algorithm.ts';
import { fromBytes, inverse, power, toBytes } from '../key/modular.ts';
import { exportRaw, importRaw, importScalar } from '../key/raw-key.ts';
import type { RecommendedCurve } from '../parameters.ts';

export type SignatureEncoding = 'der' | 'ieee-p1363';

const HASH = 'sha512';

interface Pair {
  readonly r: bigint;
  readonly s: bigint;
}

const widthOf = (order: bigint): number => Math.ceil(order.toString(2).length / 8);

/** The leftmost bits of a digest, as many as the order has, FIPS 186-5 section 6.4.1 step 2. */
function truncateDigest(digest: Uint8Array, order: bigint): bigint {
  const excess = digest.length * 8 - order.toString(2).length;
  return (fromBytes(digest) >> BigInt(Math.max(0, excess))) % order;
}

/** A message of ours and the number its hash is, never zero. */
function makeKnownMessage(order: bigint): { message: Buffer; number: bigint } {
  for (;;) {
    const message = randomBytes(32);
    const number = truncateDigest(hash(HASH, message, 'buffer'), order);
    if (number !== 0n) return { message, number };
  }
}

function quotient(a: bigint, b: bigint, order: bigint): bigint {
  const inverted = inverse(b, order);
  if (inverted === undefined) throw new CryptoError('invalid', 'DigestedData: the digest must not be zero modulo the order of the key');
  return (a * inverted) % order;
}

/**
 * Signs through OpenSSL, which draws the nonce and keeps it: with h the hash of a random message and e the digest, OpenSSL
 * signs that message under the private key d h / e, and s e / h then is the s of the digest under d, since
 * k^-1 (h + r d h / e) e / h = k^-1 (e + r d). What touches d outside OpenSSL is one product with a factor nobody knows,
 * of d plus a random multiple of the order.
 * @throws CryptoError invalid for a digest that is zero modulo the order
 */
export function signDigest(key: KeyObject, digest: Uint8Array, encoding: SignatureEncoding): Uint8Array {
  const { curve } = keyFacts(key);
  const order = curve === undefined ? dsaParts(key).q : domainOf(curve).order;
  const e = truncateDigest(digest, order);
  const { message, number: h } = makeKnownMessage(order);
  const factor = quotient(h, e, order);
  const scale = (secret: bigint): bigint => ((secret + order * fromBytes(randomBytes(16))) * factor) % order;
  const other = curve === undefined ? scaledDsa(key, scale) : importScalar(scale(fromBytes(exportRaw(key))), curve);
  const { r, s } = readPair(opensslSign(HASH, message, { key: other, dsaEncoding: 'ieee-p1363' }), 'ieee-p1363', order) as Pair;
  return writePair({ r, s: (s * quotient(e, h, order)) % order }, encoding, order);
}

function scaledDsa(key: KeyObject, scaled: (secret: bigint) => bigint): KeyObject {
  const parts = dsaParts(key);
  return dsaKey('PrivateKey', { ...parts, value: scaled(parts.value) });
}

/** @throws CryptoError unsupported for keys on binary curves */
export function verifyDigest(key: KeyObject, digest: Uint8Array, signature: Uint8Array, encoding: SignatureEncoding): boolean {
  const { curve } = keyFacts(key);
  if (curve === undefined) return verifyDsa(key, digest, signature, encoding);
  const { order, prime } = domainOf(curve);
  if (prime === undefined) throw new CryptoError('unsupported', `DigestedData: digests are not verified on the binary curve ${curve}`);
  const pair = readPair(signature, encoding, order);
  if (pair === undefined) return false;
  const { message, number: h } = makeKnownMessage(order);
  // (r, s) signs e under Q exactly when it signs e - r c under Q + c G: c is chosen so that this is the hash of our message.
  const shift = quotient((((truncateDigest(digest, order) - h) % order) + order) % order, pair.r, order);
  const shifted = shift === 0n ? exportRaw(publicOf(key)) : addPoints(exportRaw(publicOf(key)), multiple(shift, curve, order), prime);
  if (shifted === undefined) return verifyDigest(key, digest, signature, encoding);
  const other = importRaw('PublicKey', shifted, 'EC', curve);
  return opensslVerify(HASH, message, { key: other, dsaEncoding: 'ieee-p1363' }, writePair(pair, 'ieee-p1363', order));
}

const publicOf = (key: KeyObject): KeyObject => (key.type === 'private' ? createPublicKey(key) : key);

function multiple(scalar: bigint, curve: RecommendedCurve, order: Domain['order']): Buffer {
  const ecdh = createECDH(opensslCurve(curve));
  ecdh.setPrivateKey(toBytes(scalar, widthOf(order)));
  return ecdh.getPublicKey();
}

/** Sum of two uncompressed points of a curve over a prime field, SEC 1 section 2.2.1; undefined for equal and opposite ones. */
function addPoints(a: Buffer, b: Buffer, prime: bigint): Buffer | undefined {
  const width = (a.length - 1) / 2;
  const [ax, ay, bx, by] = [a, b].flatMap((point) => [fromBytes(point.subarray(1, 1 + width)), fromBytes(point.subarray(1 + width))]) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const inverted = inverse(bx - ax, prime);
  if (inverted === undefined) return undefined;
  const residue = (value: bigint): bigint => ((value % prime) + prime) % prime;
  const slope = residue((by - ay) * inverted);
  const x = residue(slope * slope - ax - bx);
  return Buffer.concat([Buffer.of(4), toBytes(x, width), toBytes(residue(slope * (ax - x) - ay), width)]);
}

/** FIPS 186-4 section 4.7. */
function verifyDsa(key: KeyObject, digest: Uint8Array, signature: Uint8Array, encoding: SignatureEncoding): boolean {
  const { p, q, g, value: y } = dsaParts(publicOf(key));
  const pair = readPair(signature, encoding, q);
  if (pair === undefined) return false;
  const u1 = quotient(truncateDigest(digest, q), pair.s, q);
  const u2 = quotient(pair.r, pair.s, q);
  return ((power(g, u1, p) * power(y, u2, p)) % p) % q === pair.r;
}

function writePair({ r, s }: Pair, encoding: SignatureEncoding, order: bigint): Buffer {
  if (encoding === 'der') return sequence(unsigned(r), unsigned(s));
  return Buffer.concat([toBytes(r, widthOf(order)), toBytes(s, widthOf(order))]);
}

/** Undefined for what is no signature of this order. */
function readPair(signature: Uint8Array, encoding: SignatureEncoding, order: bigint): Pair | undefined {
  const width = widthOf(order);
  let numbers: bigint[];
  if (encoding === 'ieee-p1363') numbers = signature.length === 2 * width ? [signature.subarray(0, width), signature.subarray(width)].map(fromBytes) : [];
  else {
    try {
      numbers = readInside(readElement(signature, 'SignatureData'), DER.sequence, 'SignatureData').map((each) => readUnsigned(each, 'SignatureData'));
    } catch (error) {
      if (error instanceof CryptoError) return undefined;
      throw error;
    }
  }
  const [r = 0n, s = 0n] = numbers;
  return numbers.length === 2 && r > 0n && s > 0n && r < order && s < order ? { r, s } : undefined;
}
