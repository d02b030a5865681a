// Revokes an object in a transaction, and finds the other half of its pair, which may have to be revoked with it.
import type { OperationName } from '../../../../kmip/operation-name.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { dateTime, type Structure } from '../../../../kmip/ttlv/node.ts';
import { textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { isLonger } from '../../../../text/code-points.ts';
import type { ObjectTransaction } from '../../operation-context.ts';
import { linkedTo } from '../create.ts';
import type { DescriptionDraft } from '../managed-object.ts';
import { applyEvent, dateAttribute } from './lifecycle.ts';

export interface Revocation {
  /** RevocationReason, stored with the object. */
  readonly reason: Structure;
  readonly compromised: boolean;
  /** Seconds since the epoch. */
  readonly occurrence: number | undefined;
  readonly now: number;
}

/** In characters. The reason is stored with the attributes of the object, which every use of it reads. */
const MAX_MESSAGE = 4_096;

/** @param reason RevocationReason or DeactivationReason @param message the tag of its message @throws Refusal InvalidField */
export function requireShortMessage(reason: Structure, message: number): void {
  if (isLonger(textOf(reason, message) ?? '', MAX_MESSAGE)) throw new Refusal('InvalidField', `${tagName(message)} can have at most ${MAX_MESSAGE} characters`);
}

/** @throws Refusal WrongKeyLifecycleState for an object that is already compromised, InvalidObjectType for a template */
export function revokeDraft(draft: DescriptionDraft, { reason, compromised, occurrence, now }: Revocation): void {
  const before = draft.state;
  if (before === ENUM.State.Compromised) throw new Refusal('WrongKeyLifecycleState', `DENIED: the object ${draft.id} is already revoked as compromised`);
  applyEvent(draft, compromised ? 'compromise' : 'deactivate', now);
  if (draft.state === before) return;
  draft.attributes.set(reason);
  if (!compromised) return;
  // Unless the client says otherwise, the object may have been compromised ever since there is one (2.1 section 6.1.44).
  const since = occurrence ?? dateAttribute(draft.attributes, TAG.InitialDate) ?? now;
  draft.attributes.set(dateTime(TAG.CompromiseOccurrenceDate, since));
}

/** The other key of a pair, if the caller has the right on it too. The link alone is not enough, because a client may have written it. */
export async function pairOf(tx: ObjectTransaction, draft: DescriptionDraft, right: OperationName): Promise<DescriptionDraft[]> {
  const id = linkedTo(draft, 'PublicKeyLink') ?? linkedTo(draft, 'PrivateKeyLink');
  const other = id === undefined ? undefined : await tx.findPermitted(id, right);
  return other && other.owner === draft.owner ? [other] : [];
}
