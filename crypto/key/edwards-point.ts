// Checks public keys of Ed25519 and Ed448, of which OpenSSL reads any bytes (RFC 8032 sections 5.1.3 and 5.2.3).
import type { KeyObject } from 'node:crypto';
import { fromBytes, inverse, power } from './modular.ts';

/** a x^2 + y^2 = 1 + d x^2 y^2 over the integers modulo the prime. */
interface EdwardsCurve {
  readonly prime: bigint;
  readonly a: bigint;
  readonly d: bigint;
  /** The cofactor is two to this power. */
  readonly doublings: number;
}

const P25519 = 2n ** 255n - 19n;

const CURVES: Readonly<Record<string, EdwardsCurve>> = {
  ed25519: { prime: P25519, a: -1n, d: -121_665n * (inverse(121_666n, P25519) as bigint), doublings: 3 },
  ed448: { prime: 2n ** 448n - 2n ** 224n - 1n, a: 1n, d: -39_081n, doublings: 2 },
};

/**
 * Whether a public key is a point of its curve, encoded in the one permitted way, and not of small order: with such a point, signatures verify
 * that no private key has made. True for other types of keys.
 */
export function isEdwardsPoint(key: KeyObject): boolean {
  const curve = CURVES[key.asymmetricKeyType ?? ''];
  if (!curve || key.type !== 'public') return true;
  const encoded = Buffer.from(key.export({ format: 'jwk' }).x as string, 'base64url');
  const sign = 1n << BigInt(encoded.length * 8 - 1);
  let y = fromBytes(encoded.reverse()) & ~sign;
  if (y >= curve.prime || !hasPoint(y, curve)) return false;
  for (let i = 0; i < curve.doublings; i++) y = doubled(y, curve);
  return y !== 1n;
}

/** The square of the x that belongs to a y. The divisor is never zero, because d / a is no square. */
function squareX(y: bigint, { prime, a, d }: EdwardsCurve): bigint {
  return modulo((y * y - 1n) * (inverse(d * y * y - a, prime) as bigint), prime);
}

/** Euler's criterion for the square of x. */
function hasPoint(y: bigint, curve: EdwardsCurve): boolean {
  const square = squareX(y, curve);
  return square === 0n || power(square, (curve.prime - 1n) / 2n, curve.prime) === 1n;
}

/** The y of twice a point with this y. */
function doubled(y: bigint, curve: EdwardsCurve): bigint {
  const squares = [curve.a * squareX(y, curve), y * y] as const;
  return modulo((squares[1] - squares[0]) * (inverse(2n - squares[0] - squares[1], curve.prime) as bigint), curve.prime);
}

const modulo = (value: bigint, prime: bigint): bigint => ((value % prime) + prime) % prime;
