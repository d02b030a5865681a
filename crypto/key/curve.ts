// OpenSSL's names of KMIP's recommended curves, and their domain parameters (KMIP 2.1 section 11.45, SEC 2, RFC 5639).
import { generateKeyPairSync } from 'node:crypto';
import { CryptoError } from '../crypto-error.ts';
import { DER, readElement, readInside, readUnsigned } from '../der.ts';
import type { RecommendedCurve } from '../parameters.ts';

/** Curves for ECDSA and ECDH. If OpenSSL has two names for a curve, this is the one that it reports for a key. */
const WEIERSTRASS: Partial<Record<RecommendedCurve, string>> = {
  P_192: 'prime192v1',
  K_163: 'sect163k1',
  B_163: 'sect163r2',
  P_224: 'secp224r1',
  K_233: 'sect233k1',
  B_233: 'sect233r1',
  P_256: 'prime256v1',
  K_283: 'sect283k1',
  B_283: 'sect283r1',
  P_384: 'secp384r1',
  K_409: 'sect409k1',
  B_409: 'sect409r1',
  P_521: 'secp521r1',
  K_571: 'sect571k1',
  B_571: 'sect571r1',
  ANSIX9P192V2: 'prime192v2',
  ANSIX9P192V3: 'prime192v3',
  ANSIX9P239V1: 'prime239v1',
  ANSIX9P239V2: 'prime239v2',
  ANSIX9P239V3: 'prime239v3',
};

/** Curves that have their own key types in OpenSSL (RFC 7748, RFC 8032). */
const OKP = { CURVE25519: 'x25519', CURVE448: 'x448', CURVEED25519: 'ed25519', CURVEED448: 'ed448' } as const;

export type OkpType = (typeof OKP)[keyof typeof OKP];

const SAME_NAME: readonly RecommendedCurve[] = [
  ...(['SECP112R1', 'SECP112R2', 'SECP128R1', 'SECP128R2', 'SECP160K1', 'SECP160R1', 'SECP160R2', 'SECP192K1', 'SECP224K1', 'SECP256K1'] as const),
  ...(['SECT113R1', 'SECT113R2', 'SECT131R1', 'SECT131R2', 'SECT163R1', 'SECT193R1', 'SECT193R2', 'SECT239K1'] as const),
];

const X962: readonly RecommendedCurve[] = [
  ...(['ANSIX9C2PNB163V1', 'ANSIX9C2PNB163V2', 'ANSIX9C2PNB163V3', 'ANSIX9C2PNB176V1', 'ANSIX9C2TNB191V1', 'ANSIX9C2TNB191V2'] as const),
  ...(['ANSIX9C2TNB191V3', 'ANSIX9C2PNB208W1', 'ANSIX9C2TNB239V1', 'ANSIX9C2TNB239V2', 'ANSIX9C2TNB239V3', 'ANSIX9C2PNB272W1'] as const),
  ...(['ANSIX9C2PNB304W1', 'ANSIX9C2TNB359V1', 'ANSIX9C2PNB368W1', 'ANSIX9C2TNB431R1'] as const),
];

const BRAINPOOL: readonly RecommendedCurve[] = ([160, 192, 224, 256, 320, 384, 512] as const).flatMap(
  (size) => [`BRAINPOOLP${size}R1`, `BRAINPOOLP${size}T1`] as const,
);

const OPENSSL: ReadonlyMap<RecommendedCurve, string> = new Map([
  ...(Object.entries(WEIERSTRASS) as [RecommendedCurve, string][]),
  ...SAME_NAME.map((name) => [name, name.toLowerCase()] as const),
  ...X962.map((name) => [name, name.slice('ANSIX9'.length).toLowerCase()] as const),
  ...BRAINPOOL.map((name) => [name, `brainpoolP${name.slice('BRAINPOOLP'.length).toLowerCase()}`] as const),
]);

const KMIP: ReadonlyMap<string, RecommendedCurve> = new Map([...OPENSSL].map(([kmip, openssl]) => [openssl, kmip]));

/** Curves on which the server can generate key pairs. */
export const CURVES: readonly RecommendedCurve[] = [...OPENSSL.keys(), ...(Object.keys(OKP) as RecommendedCurve[])];

/** The key type in OpenSSL, such as `ed25519` for CURVEED25519; undefined for the curves for ECDSA and ECDH. */
export function okpType(curve: RecommendedCurve): OkpType | undefined {
  return (OKP as Partial<Record<RecommendedCurve, OkpType>>)[curve];
}

export function okpCurve(type: OkpType): RecommendedCurve {
  return Object.entries(OKP).find(([, each]) => each === type)?.[0] as RecommendedCurve;
}

/** @throws CryptoError unsupported if OpenSSL does not have the curve as a named curve */
export function opensslCurve(curve: RecommendedCurve): string {
  const name = OPENSSL.get(curve);
  if (name === undefined) throw new CryptoError('unsupported', `the curve ${curve} is not supported`);
  return name;
}

/** @throws CryptoError unsupported if KMIP's enumeration does not have the curve */
export function kmipCurve(opensslName: string | undefined): RecommendedCurve {
  const curve = KMIP.get(opensslName ?? '');
  if (curve === undefined) throw new CryptoError('unsupported', 'the curve of this key has no name in KMIP');
  return curve;
}

export interface Domain {
  /** Undefined for binary curves. */
  readonly prime: bigint | undefined;
  readonly order: bigint;
  /** The number of points of the curve is this times the order. */
  readonly cofactor: bigint;
}

const domains = new Map<string, Domain>();
const PRIME_FIELD = '06072a8648ce3d0101';

/** Reads the domain parameters from a key that OpenSSL generates with explicit parameters (SEC 1 appendix C.2). */
export function domainOf(curve: RecommendedCurve): Domain {
  const namedCurve = opensslCurve(curve);
  let domain = domains.get(namedCurve);
  if (domain === undefined) {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve, paramEncoding: 'explicit' });
    const spki = readElement(publicKey.export({ format: 'der', type: 'spki' }), curve);
    const [, parameters] = readInside(readInside(spki, DER.sequence, curve)[0], DER.sequence, curve);
    const [, field, , , order, cofactor] = readInside(parameters, DER.sequence, curve);
    const [fieldType, prime] = readInside(field, DER.sequence, curve);
    const isPrime = fieldType?.whole.toString('hex') === PRIME_FIELD;
    domain = { prime: isPrime ? readUnsigned(prime, curve) : undefined, order: readUnsigned(order, curve), cofactor: readUnsigned(cofactor, curve) };
    domains.set(namedCurve, domain);
  }
  return domain;
}

const lengths = new Map<RecommendedCurve, number>([
  ['CURVE25519', 256],
  ['CURVEED25519', 256],
  ['CURVE448', 448],
  ['CURVEED448', 448],
]);

/** The CryptographicLength of keys on the curve in bits: for the curves for ECDSA, the size of the field. */
export function curveLength(curve: RecommendedCurve): number {
  let length = lengths.get(curve);
  if (length === undefined) {
    const { prime } = domainOf(curve);
    length = prime === undefined ? Number(/\d{3}/.exec(opensslCurve(curve))?.[0]) : prime.toString(2).length;
    lengths.set(curve, length);
  }
  return length;
}

/** Whole bytes are up to seven bits more than a field, and an order some fewer: 521 or 528 for P-521, 253, 255 or 256 for X25519, 448 or 456 for Ed448. */
const MAX_CONVENTION_BITS = 8;

/** Whether a client can mean keys on the curve by this length: the size of the field, of the order or of whole bytes, which are all in use. */
export function isCurveLength(curve: RecommendedCurve, length: number): boolean {
  return Math.abs(length - curveLength(curve)) <= MAX_CONVENTION_BITS;
}

/** @param length CryptographicLength in bits, if the client gives one @throws CryptoError invalid for one that keys on the curve do not have */
export function requireCurveLength(curve: RecommendedCurve, length: number | undefined): void {
  if (length !== undefined && !isCurveLength(curve, length))
    throw new CryptoError('invalid', `CryptographicLength: keys of ${curve} do not have ${length} bits`);
}
