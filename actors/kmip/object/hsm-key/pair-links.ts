// The links between the halves of a pair on a token that come one by one (KMIP specification 2.1 section 4.31).
import { isPublicName, publicName, withoutPublicEnd } from '../../../../kmip/pair-name.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type { ObjectTransaction } from '../../operation-context.ts';
import { linkedTo, setLink } from '../create.ts';
import { isDestroyed, markChanged, settle } from '../life/lifecycle.ts';
import type { Draft } from '../managed-object.ts';

const { PrivateKey, PublicKey } = ENUM.ObjectType;
const LINK = { [PrivateKey]: 'PrivateKeyLink', [PublicKey]: 'PublicKeyLink' } as const;

/**
 * Links a half that is about to be inserted with the other one, if that is there already. Links that a client has made stay as they are.
 * @param half whose other half is the one that its link names, else the one that has its name
 * @param now seconds since the epoch
 */
export async function linkHalves(tx: ObjectTransaction, half: Draft, now: number): Promise<void> {
  const { id, type } = half;
  if (type !== PrivateKey && type !== PublicKey) return;
  const otherType = type === PrivateKey ? PublicKey : PrivateKey;
  const there = linkedTo(half, LINK[otherType]);
  const other = await tx.read(there ?? (isPublicName(id) ? withoutPublicEnd(id) : publicName(id)));
  if (other?.type !== otherType || other.owner !== half.owner || isDestroyed(other.state)) return;
  if (there === undefined) setLink(half, LINK[otherType], other.id);
  if (linkedTo(other, LINK[type]) !== undefined) return;
  settle(other, now);
  setLink(other, LINK[type], id);
  markChanged(other, now);
  await tx.update(other);
}
