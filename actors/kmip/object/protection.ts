// What may not leave the server does not become another's in a new shape: whoever owns an object can take its protection away.
import type { Principal } from '../api.ts';
import { Refusal } from '../refusal.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Draft, ManagedObject } from './managed-object.ts';

const isSensitive = ({ attributes }: ManagedObject): boolean => attributes.first(TAG.Sensitive)?.value === true;
const isExtractable = ({ attributes }: ManagedObject): boolean => attributes.first(TAG.Extractable)?.value !== false;

/** Before the material of an object goes into one of the caller's own. @throws Refusal Sensitive, NotExtractable for what another owns and protects */
export function requireUnprotected(object: ManagedObject, { user }: Principal): void {
  if (object.owner === user) return;
  if (isSensitive(object)) throw new Refusal('Sensitive', `DENIED: ${object.id} is sensitive, only its owner does this with it`);
  if (!isExtractable(object)) throw new Refusal('NotExtractable', `DENIED: ${object.id} is not extractable, only its owner does this with it`);
}

/** @throws Refusal PermissionDenied where somebody else than the owner makes a replacement that is less protected */
export function requireAsProtected(old: ManagedObject, replacement: Draft, { user }: Principal): void {
  if (old.owner === user) return;
  if ((isSensitive(old) && !isSensitive(replacement)) || (!isExtractable(old) && isExtractable(replacement)))
    throw new Refusal('PermissionDenied', `DENIED: only the owner of ${old.id} may let its replacement leave the server`);
}
