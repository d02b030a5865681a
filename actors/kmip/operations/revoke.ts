// Revoke: an object is no longer to be used, or may be known to others (KMIP 2.1 section 6.1.44).
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { dateTime, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { booleanOf, codeOf, dateOf, nameOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { linkedTo } from '../object/create.ts';
import { happen } from '../object/lifecycle.ts';
import type { DescriptionDraft } from '../object/managed-object.ts';
import type { ObjectTransaction, Operation } from './operation.ts';

const COMPROMISES: ReadonlySet<string> = new Set(['KeyCompromise', 'CACompromise']);

export const revoke: Operation = async (request, ctx) => {
  const reason = required(structureOf(request, TAG.RevocationReason), TAG.RevocationReason);
  const code = nameOf('RevocationReasonCode', required(codeOf(reason, TAG.RevocationReasonCode), TAG.RevocationReasonCode));
  const revocation: Revocation = { reason, compromised: COMPROMISES.has(code), occurrence: dateOf(request, TAG.CompromiseOccurrenceDate), now: ctx.now };
  const id = await ctx.change(async (tx) => {
    const draft = await tx.describe(request, 'Revoke');
    for (const each of [draft, ...(booleanOf(request, TAG.Cascade) ? await pairOf(tx, draft, 'Revoke') : [])]) {
      revokeDraft(each, revocation);
      await tx.update(each);
      await tx.audit('key.revoke', each.id);
    }
    return draft.id;
  });
  return [text(TAG.UniqueIdentifier, id)];
};

export interface Revocation {
  /** RevocationReason, stored with the object. */
  readonly reason: Structure;
  readonly compromised: boolean;
  /** Seconds since the epoch. */
  readonly occurrence: number | undefined;
  readonly now: number;
}

/** @throws Refusal WrongKeyLifecycleState for what is compromised already, InvalidObjectType for a template */
export function revokeDraft(draft: DescriptionDraft, { reason, compromised, occurrence, now }: Revocation): void {
  const before = draft.state;
  if (before === ENUM.State.Compromised) throw new Refusal('WrongKeyLifecycleState', `DENIED: the object ${draft.id} is revoked as compromised already`);
  happen(draft, compromised ? 'compromise' : 'deactivate', now);
  if (draft.state === before) return;
  draft.attributes.set(reason);
  if (compromised) draft.attributes.set(dateTime(TAG.CompromiseOccurrenceDate, occurrence ?? now));
}

/** The other half of a key pair, where the caller has the right on it as well: a client may have written the link. */
export async function pairOf(tx: ObjectTransaction, draft: DescriptionDraft, right: OperationName): Promise<DescriptionDraft[]> {
  const id = linkedTo(draft, 'PublicKeyLink') ?? linkedTo(draft, 'PrivateKeyLink');
  const other = id === undefined ? undefined : await tx.permitted(id, right);
  return other && other.owner === draft.owner ? [other] : [];
}
