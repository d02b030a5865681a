// Public keys of tokens as key objects, and the parameters of curves (RFC 5480 section 2.1.1, PKCS #11 v3.0 sections 2.3.3 and 2.3.5).
import { createPublicKey, type KeyObject } from 'node:crypto';
import { importRaw } from '../../../../crypto/key/raw-key.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../../../../crypto/parameters.ts';
import type { TokenPublicKey } from '../../../hsm/api.ts';

type CurveType = 'EC' | 'ED' | 'X';

export interface Curve {
  readonly type: CurveType;
  readonly algorithm: CryptographicAlgorithm;
  readonly curve: RecommendedCurve;
  /** CKA_EC_PARAMS in hexadecimal; the first is for new keys, a token may tell either. */
  readonly params: readonly string[];
}

const printable = (name: string): string => `13${name.length.toString(16).padStart(2, '0')}${Buffer.from(name).toString('hex')}`;

export const CURVES: readonly Curve[] = [
  { type: 'EC', algorithm: 'EC', curve: 'P_256', params: ['06082a8648ce3d030107'] },
  { type: 'EC', algorithm: 'EC', curve: 'P_384', params: ['06052b81040022'] },
  { type: 'EC', algorithm: 'EC', curve: 'P_521', params: ['06052b81040023'] },
  { type: 'EC', algorithm: 'EC', curve: 'P_224', params: ['06052b81040021'] },
  { type: 'EC', algorithm: 'EC', curve: 'SECP256K1', params: ['06052b8104000a'] },
  { type: 'ED', algorithm: 'Ed25519', curve: 'CURVEED25519', params: [printable('edwards25519'), '06032b6570'] },
  { type: 'X', algorithm: 'ECDH', curve: 'CURVE25519', params: [printable('curve25519'), '06032b656e'] },
];

export const paramsOf = ({ params }: Pick<Curve, 'params'>): Uint8Array => new Uint8Array(Buffer.from(params[0] as string, 'hex'));

/** @returns undefined for a curve that this server does not know */
export function curveOfParams(params: Uint8Array): Curve | undefined {
  const text = Buffer.from(params).toString('hex');
  return CURVES.find((each) => each.params.includes(text));
}

/** @returns undefined for a curve that this server does not know, and for numbers that are no key: tokens keep whatever they are given */
export function publicKeyOf(key: TokenPublicKey): KeyObject | undefined {
  try {
    return key.type === 'RSA' ? rsaKeyOf(key) : curveKeyOf(key);
  } catch {
    return undefined;
  }
}

function rsaKeyOf({ modulus, exponent }: Extract<TokenPublicKey, { type: 'RSA' }>): KeyObject {
  const [n, e] = [modulus, exponent].map((number) => Buffer.from(number).toString('base64url'));
  return createPublicKey({ format: 'jwk', key: { kty: 'RSA', n: n as string, e: e as string } });
}

function curveKeyOf({ params, point }: Exclude<TokenPublicKey, { type: 'RSA' }>): KeyObject | undefined {
  const known = curveOfParams(params);
  return known && importRaw('PublicKey', point, known.algorithm, known.curve);
}
