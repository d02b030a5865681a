// The dates of an object as columns, so that the database can search by them: copies of its attributes.
import type { Transaction } from '../../../../kernel/store/store.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { dateAttribute, isStateless } from '../life/lifecycle.ts';
import { rotationDue } from '../life/rotation-due.ts';
import type { DescriptionDraft } from '../managed-object.ts';
import { objectCounter } from './counter.ts';

export const DATES = { due_at: 'BIGINT', initial_date: 'BIGINT', activation_date: 'BIGINT', deactivation_date: 'BIGINT' } as const;

/** When the next change caused by time is due: milliseconds, or null. Nothing may stay due that nothing is done about: each look at what is due writes it, or postpones it. */
function dueAt(draft: DescriptionDraft): number | null {
  if (isStateless(draft)) return null;
  const { State } = ENUM;
  const dates: (number | undefined)[] = [];
  if (draft.state === State.PreActive) dates.push(dateAttribute(draft.attributes, TAG.ActivationDate));
  if (draft.state === State.Active) dates.push(dateAttribute(draft.attributes, TAG.DeactivationDate), rotationDue(draft));
  const known = dates.filter((date) => date !== undefined);
  return known.length === 0 ? null : Math.min(...known) * 1000;
}

/** Values for the columns of DATES. */
export function datesOf(draft: DescriptionDraft): (number | null)[] {
  const seconds = [TAG.InitialDate, TAG.ActivationDate, TAG.DeactivationDate].map((tag) => dateAttribute(draft.attributes, tag) ?? null);
  return [dueAt(draft), ...seconds];
}

/**
 * Has what is due looked at later; any other change of the object brings the date of its attributes back.
 * @param from when it was due, and @param to when it is to be: milliseconds @returns false if somebody else has changed that in the meantime
 */
export async function postponeDue(tx: Transaction, id: string, from: number, to: number): Promise<boolean> {
  tx.touch(objectCounter(id));
  return (await tx.run('UPDATE kms_object SET due_at = $3 WHERE id = $1 AND due_at = $2', [id, from, to])) > 0;
}
