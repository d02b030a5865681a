// Prevents other users from copying protected material into objects of their own, whose protection they could remove.
import { Refusal } from '../../../kmip/refusal.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Principal } from '../api.ts';
import { owns } from '../principal.ts';
import type { ObjectDescription } from './managed-object.ts';

const isSensitive = ({ attributes }: ObjectDescription): boolean => attributes.first(TAG.Sensitive)?.value === true;
const isExtractable = ({ attributes }: ObjectDescription): boolean => attributes.first(TAG.Extractable)?.value !== false;

/** Call it before material of an object goes into an object of the caller. @throws Refusal Sensitive, NotExtractable if another user owns and protects it */
export function requireUnprotected(object: ObjectDescription, caller: Principal): void {
  if (owns(caller, object.owner)) return;
  if (isSensitive(object)) throw new Refusal('Sensitive', `DENIED: ${object.id} is sensitive; only its owner can do this with it`);
  if (!isExtractable(object)) throw new Refusal('NotExtractable', `DENIED: ${object.id} is not extractable; only its owner can do this with it`);
}
