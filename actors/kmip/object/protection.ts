// What may not leave the server does not become another's in a new shape: whoever owns an object can take its protection away.
import { Refusal } from '../../../kmip/refusal.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Principal } from '../api.ts';
import type { ObjectDescription } from './managed-object.ts';

const isSensitive = ({ attributes }: ObjectDescription): boolean => attributes.first(TAG.Sensitive)?.value === true;
const isExtractable = ({ attributes }: ObjectDescription): boolean => attributes.first(TAG.Extractable)?.value !== false;

/** Before the material of an object goes into one of the caller's own. @throws Refusal Sensitive, NotExtractable for what another owns and protects */
export function requireUnprotected(object: ObjectDescription, { user }: Principal): void {
  if (object.owner === user) return;
  if (isSensitive(object)) throw new Refusal('Sensitive', `DENIED: ${object.id} is sensitive; only its owner can do this with it`);
  if (!isExtractable(object)) throw new Refusal('NotExtractable', `DENIED: ${object.id} is not extractable; only its owner can do this with it`);
}
