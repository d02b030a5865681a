// What keys on tokens are to be, from KMIP's attributes, and what KMIP says of keys that are there.
import type { KeyObject } from 'node:crypto';
import { requireCurveLength } from '../../../../crypto/key/curve.ts';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import type { PairOptions as PairWish } from '../../../../crypto/key/key-pair.ts';
import { checkedLength } from '../../../../crypto/key/symmetric-key.ts';
import type { CryptographicAlgorithm } from '../../../../crypto/parameters.ts';
import type { AttributeSet, ReadonlyAttributes } from '../../../../kmip/attribute/set.ts';
import type { ObjectType } from '../../../../kmip/object-type.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { boolean, enumeration, integer, type Structure, structure } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { PairOptions, SecretOptions, TokenKeyKind, TokenUse } from '../../../hsm/api.ts';
import { secretDataLength } from '../attributes/new-attributes.ts';
import { flagOf } from '../flag.ts';
import type { ObjectDescription } from '../managed-object.ts';
import { CURVES, paramsOf } from './public-key.ts';

export function kindOf({ type }: Pick<ObjectDescription, 'type'>): TokenKeyKind {
  const { PrivateKey, PublicKey } = ENUM.ObjectType;
  return type === PrivateKey ? 'private' : type === PublicKey ? 'public' : 'secret';
}

const BITS = MASK.CryptographicUsageMask;
const RSA_BITS: readonly number[] = [2048, 3072, 4096];

/** Each use, with the bits of the mask that need it: wrapping may be encryption, and a MAC is a signature to a token. */
const USES: readonly (readonly [TokenUse, number])[] = [
  ['encrypt', BITS.Encrypt | BITS.WrapKey],
  ['decrypt', BITS.Decrypt | BITS.UnwrapKey],
  ['sign', BITS.Sign | BITS.MACGenerate | BITS.MACVerify | BITS.CertificateSign | BITS.CRLSign],
  ['verify', BITS.Verify | BITS.MACVerify],
  ['wrap', BITS.WrapKey],
  ['unwrap', BITS.UnwrapKey],
  ['derive', BITS.DeriveKey | BITS.KeyAgreement],
];

export function usesOf(attributes: ReadonlyAttributes): TokenUse[] {
  const node = attributes.first(TAG.CryptographicUsageMask);
  const mask = typeof node?.value === 'number' ? node.value : BITS.Unrestricted;
  return USES.filter(([, bits]) => (mask & (bits | BITS.Unrestricted)) !== 0).map(([use]) => use);
}

/** The mask of a key that was made by somebody else. */
export function maskOf(uses: readonly TokenUse[], isSecret: boolean): number {
  const of: Readonly<Record<TokenUse, number>> = {
    ...{ encrypt: BITS.Encrypt, decrypt: BITS.Decrypt, wrap: BITS.WrapKey, unwrap: BITS.UnwrapKey, derive: BITS.DeriveKey | BITS.KeyAgreement },
    sign: isSecret ? BITS.MACGenerate | BITS.MACVerify : BITS.Sign,
    verify: isSecret ? BITS.MACVerify : BITS.Verify,
  };
  return uses.reduce((mask, use) => mask | of[use], 0);
}

/** A key in an HSM stays there, unless the request says otherwise. */
export function guard(attributes: AttributeSet): { readonly sensitive: boolean; readonly extractable: boolean } {
  const sensitive = flagOf(attributes, TAG.Sensitive, true);
  const extractable = flagOf(attributes, TAG.Extractable, false);
  attributes.set(boolean(TAG.Sensitive, sensitive));
  attributes.set(boolean(TAG.Extractable, extractable));
  return { sensitive, extractable };
}

/** @throws Refusal InvalidField for a key that tokens do not make */
export function secretShape(type: ObjectType, algorithm: CryptographicAlgorithm | undefined, length: number | undefined): Pick<SecretOptions, 'type' | 'bits'> {
  if (type === ENUM.ObjectType.SecretData) return { type: 'GENERIC', bits: secretDataLength(length) };
  if (algorithm === 'AES') return { type: 'AES', bits: checkedLength(algorithm, length) };
  if (algorithm?.startsWith('HMAC_SHA')) return { type: 'GENERIC', bits: checkedLength(algorithm, length) };
  throw new Refusal('InvalidField', `Only AES symmetric keys and HMAC keys can be made in an HSM, not ${algorithm}`);
}

/** @throws Refusal InvalidField, UnsupportedCryptographicParameters; CryptoError invalid for a length that keys on the curve do not have */
export function pairShape(algorithm: CryptographicAlgorithm, { length, curve }: PairWish): PairOptions['type'] {
  if (algorithm === 'RSA') {
    const rsaBits = length ?? 2048;
    if (!RSA_BITS.includes(rsaBits))
      throw new Refusal('InvalidField', `an RSA key in an HSM has ${RSA_BITS.join(', ')} bits, not ${rsaBits}; the minimum key length is 2048`);
    return { rsaBits };
  }
  const wanted = curve ?? (algorithm === 'Ed25519' ? 'CURVEED25519' : `P_${length ?? 256}`);
  const known = CURVES.find((each) => each.curve === wanted && (each.type === 'ED') === (algorithm === 'Ed25519'));
  if (!known || !CURVE_ALGORITHMS.has(algorithm)) {
    const where = CURVE_ALGORITHMS.has(algorithm) ? ` on ${wanted}` : '';
    throw new Refusal('UnsupportedCryptographicParameters', `an HSM makes no pair of ${algorithm}${where}; it makes RSA keys, and others on ${CURVE_NAMES}`);
  }
  requireCurveLength(known.curve, length);
  return { curve: known.type, params: paramsOf(known) };
}

const CURVE_NAMES = CURVES.map(({ curve }) => curve).join(', ');
const CURVE_ALGORITHMS: ReadonlySet<string> = new Set(['EC', 'ECDSA', 'ECDH', 'Ed25519']);

/** Sets the attributes that a public key tells of its pair. */
export function describePublic(attributes: AttributeSet, key: KeyObject): void {
  const { algorithm, length, curve } = keyFacts(key);
  attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]));
  attributes.set(integer(TAG.CryptographicLength, length));
  if (curve !== undefined) attributes.set(structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve[curve])]));
}

/** A key block without KeyValue: the key is on the token (KMIP 2.1 section 3.1). */
export function keptContent(tag: number, algorithm: CryptographicAlgorithm | undefined, length: number): Structure {
  const format = tag === TAG.SymmetricKey ? 'Raw' : tag === TAG.SecretData ? 'Opaque' : 'PKCS_8';
  const block = structure(TAG.KeyBlock, [
    enumeration(TAG.KeyFormatType, ENUM.KeyFormatType[format]),
    ...(algorithm === undefined ? [] : [enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm])]),
    integer(TAG.CryptographicLength, length),
  ]);
  return structure(tag, tag === TAG.SecretData ? [enumeration(TAG.SecretDataType, ENUM.SecretDataType.Seed), block] : [block]);
}
