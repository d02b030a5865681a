// What the key server refuses with outside of KMIP messages, whose refusals are in their answers.
import type { FaultTable } from '../../kernel/fault.ts';

export const KEYS_FAULTS = Object.freeze({
  // A request that is well-formed and cannot be served: an unknown operation, one that cannot be granted on this object.
  KEYS_REFUSED: { status: 422, message: 'the request cannot be served' },
  // For those who may see the object: the others find nothing.
  KEYS_NOT_OWNER: { status: 403, message: 'the object is not owned by the caller' },
  // Names the quota and the limit; in KMIP it is Server_Limit_Exceeded.
  KEYS_QUOTA_EXCEEDED: { status: 429, message: 'the quota is used up' },
  KEYS_GRANT_SELF: { status: 403, message: 'you cannot grant yourself rights, nor revoke your own' },
  // The right to create objects is given by those who always have it.
  KEYS_NOT_PRIVILEGED: { status: 403, message: 'only privileged users may do that' },
  // Also for objects that the caller may not see.
  KEYS_OBJECT_NOT_FOUND: { status: 404, message: 'there is no such object' },
}) satisfies FaultTable;
