// Keeps protected material protected: from other users, who could copy it into objects of their own, and where a token keeps it so.
import type { ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Principal } from '../api.ts';
import { owns } from '../principal.ts';
import { flagOf } from './flag.ts';
import type { ObjectDescription } from './managed-object.ts';

const isSensitive = ({ attributes }: ObjectDescription): boolean => attributes.first(TAG.Sensitive)?.value === true;
const isExtractable = ({ attributes }: ObjectDescription): boolean => attributes.first(TAG.Extractable)?.value !== false;

/** Call it before material of an object goes into an object of the caller. @throws Refusal Sensitive, NotExtractable if another user owns and protects it */
export function requireUnprotected(object: ObjectDescription, caller: Principal): void {
  if (owns(caller, object.owner)) return;
  if (isSensitive(object)) throw new Refusal('Sensitive', `DENIED: ${object.id} is sensitive; only its owner can do this with it`);
  if (!isExtractable(object)) throw new Refusal('NotExtractable', `DENIED: ${object.id} is not extractable; only its owner can do this with it`);
}

/**
 * Call it with the attributes before and after a change by somebody else than the owner: the right to change attributes is not that to take the key out.
 * @throws Refusal PermissionDenied
 */
export function requireOwnersProtection(id: string, before: ReadonlyAttributes, after: ReadonlyAttributes): void {
  const gaveUp = (tag: number, guarded: boolean) => flagOf(before, tag, !guarded) === guarded && flagOf(after, tag, !guarded) !== guarded;
  if (gaveUp(TAG.Sensitive, true) || gaveUp(TAG.Extractable, false))
    throw new Refusal('PermissionDenied', `DENIED: only the owner of ${id} can make it less protected`);
}

/**
 * Call it with the attributes before and after a change. What a token keeps it does not make less protected: CKA_SENSITIVE never becomes false there, nor
 * CKA_EXTRACTABLE true (PKCS #11 v2.40 section 4.1.2), and attributes that say otherwise would not be true.
 * @throws Refusal AttributeReadOnly
 */
export function requireKeptProtection(id: string, before: ReadonlyAttributes, after: ReadonlyAttributes): void {
  const gaveUp = (always: number, tag: number, guarded: boolean) => flagOf(before, always, false) && flagOf(after, tag, guarded) !== guarded;
  if (gaveUp(TAG.AlwaysSensitive, TAG.Sensitive, true)) throw new Refusal('AttributeReadOnly', `DENIED: ${id} is sensitive on its token for good`);
  if (gaveUp(TAG.NeverExtractable, TAG.Extractable, false)) throw new Refusal('AttributeReadOnly', `DENIED: ${id} is not extractable on its token for good`);
}
