// What the attributes of an object say about its key, without reading the key itself.
import type { CryptographicAlgorithm, RecommendedCurve } from '../../../crypto/parameters.ts';
import { TYPE } from '../../../kmip/ttlv/node.ts';
import { codeOf, nameOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ObjectDescription } from './managed-object.ts';

/** The attribute CryptographicAlgorithm. */
export function algorithmOf({ attributes }: Pick<ObjectDescription, 'attributes'>): CryptographicAlgorithm | undefined {
  const node = attributes.first(TAG.CryptographicAlgorithm);
  return node?.type === TYPE.Enumeration ? nameOf('CryptographicAlgorithm', node.value) : undefined;
}

/** The attribute CryptographicLength, bits; 0 if the object does not have it, as for a key of a token that does not tell it. */
export function lengthOf({ attributes }: Pick<ObjectDescription, 'attributes'>): number {
  const node = attributes.first(TAG.CryptographicLength);
  return node?.type === TYPE.Integer ? node.value : 0;
}

/** The curve in the attribute CryptographicDomainParameters. */
export function curveOf({ attributes }: Pick<ObjectDescription, 'attributes'>): RecommendedCurve | undefined {
  const domain = attributes.first(TAG.CryptographicDomainParameters);
  const code = domain?.type === TYPE.Structure ? codeOf(domain, TAG.RecommendedCurve) : undefined;
  return code === undefined ? undefined : nameOf('RecommendedCurve', code);
}
