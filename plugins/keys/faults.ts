// Faults of the key server outside of KMIP; KMIP response messages carry their own refusals.
import type { FaultTable } from '../../kernel/fault.ts';

export const KEYS_FAULTS = Object.freeze({
  // The request is well-formed but cannot be served: the operation is unknown, or cannot be granted on this object.
  KEYS_REFUSED: { status: 422, message: 'the request cannot be served' },
  // Only for callers who may see the object; the others get KEYS_OBJECT_NOT_FOUND.
  KEYS_NOT_OWNER: { status: 403, message: 'only the owner of the object may do that' },
  // The detail names the quota and the limit; in KMIP the reason is Server_Limit_Exceeded.
  KEYS_QUOTA_EXCEEDED: { status: 429, message: 'the quota is used up' },
  KEYS_GRANT_SELF: { status: 403, message: 'you cannot grant rights to yourself or revoke your own' },
  // Only privileged users, who always have the right to create objects, may grant it to others.
  KEYS_NOT_PRIVILEGED: { status: 403, message: 'only privileged users may do that' },
  // Also for objects that the caller may not see.
  KEYS_OBJECT_NOT_FOUND: { status: 404, message: 'there is no such object' },
}) satisfies FaultTable;
