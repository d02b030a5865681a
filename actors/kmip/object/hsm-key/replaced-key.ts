// The object of a key in whose place another program has put another key: it comes to say what the token has now.
import { isSameKey } from '../../../../crypto/key/same-key.ts';
import { sameNode } from '../../../../kmip/attribute/set.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { boolean } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { flagOf } from '../flag.ts';
import { algorithmOf, curveOf, lengthOf } from '../key-attributes.ts';
import { markChanged } from '../life/lifecycle.ts';
import type { Draft, ManagedObject, ObjectDescription } from '../managed-object.ts';
import { publicKeyOf } from '../software-key/material.ts';

/** What a key tells of itself. Its usage mask is what its owner wants: the token refuses what the key is not for. */
const OF_KEY = [TAG.CryptographicAlgorithm, TAG.CryptographicLength, TAG.CryptographicDomainParameters, TAG.KeyFormatType, TAG.Digest];

/** Whether the algorithm, the curve or the length is another. What only one of them tells is no difference: tokens call all HMAC keys generic secrets. */
function isOfOtherKind(object: ObjectDescription, now: Draft): boolean {
  const [curve, curveNow] = [curveOf(object), curveOf(now)];
  if (curve !== undefined && curveNow !== undefined) return curve !== curveNow;
  const isRsa = (each: ObjectDescription) => algorithmOf(each) === 'RSA';
  const [length, lengthNow] = [lengthOf(object), lengthOf(now)];
  return isRsa(object) !== isRsa(now) || (length > 0 && lengthNow > 0 && length !== lengthNow);
}

/**
 * @param now the object as it would be if the key had been found just now
 * @param read the object with its content, which only public keys have
 */
export async function isReplaced(object: ObjectDescription, now: Draft, read: () => Promise<ManagedObject | undefined>): Promise<boolean> {
  if (object.type !== now.type) return false;
  if (isOfOtherKind(object, now)) return true;
  if (object.type !== ENUM.ObjectType.PublicKey) return false;
  const [digest, digestNow] = [object.attributes.first(TAG.Digest), now.attributes.first(TAG.Digest)];
  if (digest && digestNow && sameNode(digest, digestNow)) return false;
  // In another format it is another text, but the same key.
  const whole = await read();
  return whole?.content !== undefined && !isSameKey(publicKeyOf(whole), publicKeyOf(now));
}

/** Names, dates, grants and links are those of the name, and stay. */
export function renew(object: Draft, now: Draft, seconds: number): void {
  const { attributes } = object;
  for (const tag of OF_KEY) {
    attributes.remove(tag);
    for (const { node } of now.attributes.all(tag)) attributes.add(node);
  }
  const [sensitive, extractable] = [flagOf(now.attributes, TAG.Sensitive, false), flagOf(now.attributes, TAG.Extractable, true)];
  attributes.set(boolean(TAG.Sensitive, sensitive));
  attributes.set(boolean(TAG.Extractable, extractable));
  attributes.set(boolean(TAG.AlwaysSensitive, sensitive && flagOf(attributes, TAG.AlwaysSensitive, false)));
  attributes.set(boolean(TAG.NeverExtractable, !extractable && flagOf(attributes, TAG.NeverExtractable, false)));
  object.content = now.content;
  markChanged(object, seconds);
}
