// Grants for the /access endpoints: the caller's own objects, objects granted by others, and the right to create.
import { WORKING_VERSION } from '../../kmip/version.ts';
import { listGrantees, listObtained, listOwned } from './access-lists.ts';
import { isVisible, requireOwned, requireOwner } from './access-owner.ts';
import { withRefusals } from './access-refusals.ts';
import type { AccessApi, Principal } from './api.ts';
import { BatchContext } from './context.ts';
import { changeGrants, isPrivileged, rightsOf } from './grant-change.ts';
import { discoverKey } from './message/discover.ts';
import { mayCreate } from './object/create.ts';
import { isGranted } from './object/grants.ts';
import { callerName, owns, subjectOf } from './principal.ts';
import type { KeyServer } from './server.ts';

type Acting = (caller: Principal) => Principal;

/** @param acting adds the HSMs that a caller administers */
export function createAccess(server: KeyServer, acting: Acting = (caller) => caller): AccessApi {
  const named = async (id: string, caller: Principal): Promise<Principal> => {
    const principal = acting(caller);
    if (principal.administers?.length) await takeIn(server, id, principal);
    return principal;
  };
  return withRefusals(server, {
    listOwned: async (caller, page) => listOwned(server, acting(caller), page),
    listObtained: async (caller, page) => listObtained(server, acting(caller), page),
    grantees: async (id, caller, page) => {
      const principal = await named(id, caller);
      return listGrantees(server, requireOwned(await server.objects.held(id, false), principal), page);
    },
    grant: async (id, user, operations, caller) => changeGrants(server, { id, user, operations, granting: true }, await named(id, caller)),
    revoke: async (id, user, operations, caller) => changeGrants(server, { id, user, operations, granting: false }, await named(id, caller)),
    mayCreate: (caller) => mayCreate({ server, caller }),
    isPrivileged: async (caller) => isPrivileged(server, caller),
    check: async (id, user, operations, caller) => check(server, id, user, operations, await named(id, caller), acting),
  });
}

/** A key that somebody else has made on a token is an object for its administrator, whatever names it first. */
async function takeIn(server: KeyServer, id: string, caller: Principal): Promise<void> {
  const ctx = new BatchContext(server, caller, WORKING_VERSION);
  try {
    await discoverKey(ctx, id);
  } finally {
    ctx.opening.end();
  }
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
