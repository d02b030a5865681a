// Imports and exports keys as transparent structures (specification 2.1 sections 3.5 to 3.12), including the EC formats that only 1.x has.
import type { KeyObject } from 'node:crypto';
import { dhKey, dhParts, dsaKey, dsaParts } from '../../crypto/key/discrete-log-key.ts';
import { keyFacts } from '../../crypto/key/key-algorithm.ts';
import { fromBytes } from '../../crypto/key/modular.ts';
import { exportRaw, importRaw, importScalar } from '../../crypto/key/raw-key.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { bigInteger, bytes, enumeration, type Node, type Structure } from '../ttlv/node.ts';
import { bytesOf, enumNameOf, required } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import type { KeyFormatType } from './key-format-type.ts';
import { rsaFromStructure, rsaToStructure } from './rsa-structure.ts';
import { positive, requiredPositive } from './transparent-integer.ts';

export type Kind = 'PrivateKey' | 'PublicKey';
type Family = 'RSA' | 'DSA' | 'DH' | 'EC';

/** The family and kind of key of a transparent format such as `TransparentRSAPrivateKey`; undefined for other formats. */
export function transparent(format: KeyFormatType): { readonly family: Family; readonly kind: Kind } | undefined {
  const [, family, kind] = /^Transparent(RSA|DSA|DH|EC|ECDSA|ECDH|ECMQV)(PrivateKey|PublicKey)$/.exec(format) ?? [];
  if (family === undefined) return undefined;
  return { family: family.startsWith('EC') ? 'EC' : (family as Family), kind: kind as Kind };
}

/** OpenSSL does not support larger primes. */
const MAX_PRIME = 1n << 10000n;

/** @throws Refusal InvalidMessage, InvalidField or MissingData, and errors of node:crypto for impossible values */
export function importTransparent(family: Family, kind: Kind, material: Structure): KeyObject {
  if (family === 'RSA') return rsaFromStructure(kind, material);
  if (family === 'EC') return ellipticFromStructure(kind, material);
  const value = requiredPositive(material, kind === 'PrivateKey' ? TAG.X : TAG.Y);
  const p = requiredPositive(material, TAG.P);
  const g = requiredPositive(material, TAG.G);
  const q = family === 'DSA' ? requiredPositive(material, TAG.Q) : positive(material, TAG.Q);
  if (value >= p || g >= p || (q ?? 0n) >= p || p >= MAX_PRIME)
    throw new Refusal('InvalidField', `KeyMaterial: P of a ${family} key must have at most 10000 bits, and be greater than Q, G and the key itself`);
  if (family === 'DSA') return dsaKey(kind, { p, q: q as bigint, g, value });
  return dhKey(kind, { prime: p, generator: g, subgroup: q, value });
}

function ellipticFromStructure(kind: Kind, material: Structure): KeyObject {
  const curve = required(enumNameOf(material, TAG.RecommendedCurve, 'RecommendedCurve'), TAG.RecommendedCurve);
  if (kind === 'PrivateKey') return importScalar(required(positive(material, TAG.D), TAG.D), curve);
  return importRaw(kind, required(bytesOf(material, TAG.QString), TAG.QString), 'EC', curve);
}

/** @returns the members of KeyMaterial @throws Refusal KeyFormatTypeNotSupported if the key is of another family */
export function exportTransparent(family: Family, key: KeyObject): Node[] {
  const { algorithm, curve } = keyFacts(key);
  if (family === 'EC' && curve !== undefined) {
    const members = [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve[curve])];
    return key.type === 'private' ? [...members, bigInteger(TAG.D, fromBytes(exportRaw(key)))] : [...members, bytes(TAG.QString, exportRaw(key))];
  }
  if (family !== algorithm)
    throw new Refusal('KeyFormatTypeNotSupported', `the algorithm of the key is ${algorithm}: it has no transparent format of ${family}`);
  const last = key.type === 'private' ? TAG.X : TAG.Y;
  if (family === 'RSA') return rsaToStructure(key);
  if (family === 'DSA') {
    const { p, q, g, value } = dsaParts(key);
    return [bigInteger(TAG.P, p), bigInteger(TAG.Q, q), bigInteger(TAG.G, g), bigInteger(last, value)];
  }
  const { prime, generator, subgroup, value } = dhParts(key);
  const q = subgroup === undefined ? [] : [bigInteger(TAG.Q, subgroup)];
  return [bigInteger(TAG.P, prime), ...q, bigInteger(TAG.G, generator), bigInteger(last, value)];
}
