// Grants for the /access endpoints: the caller's own objects, objects granted by others, and the right to create.
import { listGrantees, listObtained, listOwned } from './access-lists.ts';
import { isVisible, requireOwned, requireOwner } from './access-owner.ts';
import { withRefusals } from './access-refusals.ts';
import type { AccessApi, Principal } from './api.ts';
import { changeGrants, isPrivileged, rightsOf } from './grant-change.ts';
import { mayCreate } from './object/create.ts';
import { isGranted } from './object/grants.ts';
import { callerName, owns, subjectOf } from './principal.ts';
import type { KeyServer } from './server.ts';

type Acting = (caller: Principal) => Principal;

/** @param acting adds the HSMs that a caller administers */
export function createAccess(server: KeyServer, acting: Acting = (caller) => caller): AccessApi {
  return withRefusals(server, {
    listOwned: async (caller, page) => listOwned(server, acting(caller), page),
    listObtained: async (caller, page) => listObtained(server, acting(caller), page),
    grantees: async (id, caller, page) => listGrantees(server, requireOwned(await server.objects.held(id, false), acting(caller)), page),
    grant: async (id, user, operations, caller) => changeGrants(server, { id, user, operations, granting: true }, acting(caller)),
    revoke: async (id, user, operations, caller) => changeGrants(server, { id, user, operations, granting: false }, acting(caller)),
    mayCreate: (caller) => mayCreate({ server, caller }),
    isPrivileged: async (caller) => isPrivileged(server, caller),
    check: async (id, user, operations, caller) => check(server, id, user, operations, acting(caller), acting),
  });
}

/**
 * Missing objects, and those that the caller may not know of, permit nothing.
 * @throws Fault KEYS_NOT_OWNER if the caller asks about another user but is not the owner
 */
async function check(
  { store, objects }: KeyServer,
  id: string,
  user: string | undefined,
  operations: readonly string[],
  caller: Principal,
  acting: Acting,
): Promise<Record<string, boolean>> {
  const rights = rightsOf(operations);
  const held = await objects.held(id, false);
  const visible = isVisible(held, caller) ? held : undefined;
  const other = user === undefined || user === callerName(caller) ? caller : await subjectOf(store, user);
  const subject = other && acting(other);
  if (other !== caller && visible) requireOwner(visible.object, caller);
  const may = (right: string) =>
    visible !== undefined && subject !== undefined && (owns(subject, visible.object.owner) || isGranted(visible.grants, subject, right, visible.object.owner));
  return Object.fromEntries([...rights].map((right) => [right, may(right)]));
}
