// The curves of JOSE by their `crv`, with the KMIP names of their keys (RFC 7518 section 6.2.1, RFC 8037, RFC 8812).
import type { CryptographicAlgorithm, RecommendedCurve } from '../crypto/parameters.ts';

export interface Curve {
  readonly crv: string;
  readonly kty: 'EC' | 'OKP';
  readonly algorithm: CryptographicAlgorithm;
  readonly curve: RecommendedCurve;
  /** Length of a coordinate, and of `d`, in bytes. */
  readonly length: number;
  readonly signs: boolean;
  readonly agrees: boolean;
}

/** The first curve of each key type is the default if neither `crv` nor `alg` selects one. */
export const CURVES: readonly Curve[] = [
  { crv: 'P-256', kty: 'EC', algorithm: 'EC', curve: 'P_256', length: 32, signs: true, agrees: true },
  { crv: 'P-384', kty: 'EC', algorithm: 'EC', curve: 'P_384', length: 48, signs: true, agrees: true },
  { crv: 'P-521', kty: 'EC', algorithm: 'EC', curve: 'P_521', length: 66, signs: true, agrees: true },
  { crv: 'secp256k1', kty: 'EC', algorithm: 'EC', curve: 'SECP256K1', length: 32, signs: true, agrees: false },
  { crv: 'Ed25519', kty: 'OKP', algorithm: 'Ed25519', curve: 'CURVEED25519', length: 32, signs: true, agrees: false },
  { crv: 'Ed448', kty: 'OKP', algorithm: 'Ed448', curve: 'CURVEED448', length: 57, signs: true, agrees: false },
  { crv: 'X25519', kty: 'OKP', algorithm: 'ECDH', curve: 'CURVE25519', length: 32, signs: false, agrees: true },
  { crv: 'X448', kty: 'OKP', algorithm: 'ECDH', curve: 'CURVE448', length: 56, signs: false, agrees: true },
];

const NAMES: ReadonlyMap<RecommendedCurve, string> = new Map(CURVES.map(({ curve, crv }) => [curve, crv]));

/** @returns the `crv` of a curve; undefined if it has no name in JOSE */
export function curveName(curve: RecommendedCurve | undefined): string | undefined {
  return curve && NAMES.get(curve);
}

/** @returns the curves of a key type, its default first */
export function curvesOf(kty: string): readonly Curve[] {
  return CURVES.filter((each) => each.kty === kty);
}
