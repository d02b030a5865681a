// Keeps identifiers that clients choose from standing for the keysets of others: checked in the transaction that sets an identifier or a RotateName.
import type { Reader } from '../../../../kernel/store/store.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { isServerMade } from '../finding/identifier.ts';
import { type IndexTerm, keysetTerm } from '../index-terms.ts';
import type { DescriptionDraft, Draft } from '../managed-object.ts';

/**
 * A name in the form of an identifier that the server makes leads to an object that others have granted without a look at the caller's
 * keysets (`Finder`). Clients may choose identifiers of this form, and keysets may have such names: that of their first key, for example.
 * So nobody gets both an identifier and a keyset of somebody else.
 * @param added index terms that the object did not have before
 * @throws Refusal ObjectAlreadyExists, InvalidAttributeValue
 */
export async function requireUnshadowed(from: Reader, draft: DescriptionDraft & Pick<Draft, 'chosen'>, added: readonly IndexTerm[]): Promise<void> {
  if (draft.chosen && isServerMade(draft.id)) await requireNoKeyset(from, draft);
  for (const { tag, value } of added) if (tag === TAG.RotateName && isServerMade(value)) await requireNoObject(from, draft, value);
}

async function requireNoKeyset(from: Reader, { id, owner }: DescriptionDraft): Promise<void> {
  const { tag, value } = keysetTerm(id);
  const found = await from.get('SELECT object_id FROM kms_attribute WHERE tag = $1 AND value = $2 AND owner <> $3 LIMIT 1', [tag, value, owner]);
  if (found) throw new Refusal('ObjectAlreadyExists', `the identifier ${id} is taken; choose another one, or let the server make one`);
}

async function requireNoObject(from: Reader, { owner }: DescriptionDraft, id: string): Promise<void> {
  const found = await from.get('SELECT id FROM kms_object WHERE id = $1 AND owner <> $2', [id, owner]);
  if (found) throw new Refusal('InvalidAttributeValue', `RotateName ${id} is the identifier of an object of another owner; choose another name`);
}
