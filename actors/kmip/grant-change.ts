// Changes the grants of an object for the /access endpoints: gives rights to a user or a realm, or takes them away.
import { Fault } from '../../kernel/fault.ts';
import { namingOf } from '../../kernel/store/account-name.ts';
import { accountOf, accountToBe, viewAccounts } from '../../kernel/store/accounts.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import type { OperationName } from '../../kmip/operation-name.ts';
import { Refusal } from '../../kmip/refusal.ts';
import { requireOwned } from './access-owner.ts';
import type { Principal } from './api.ts';
import { EVERYTHING, rightOf } from './object/grants.ts';
import { isInstance } from './object/hsm-identifier.ts';
import type { ObjectDescription } from './object/managed-object.ts';
import { quotaProblem } from './object/quota.ts';
import { NO_MARK } from './object/rows/row-seal.ts';
import type { ObjectRows } from './object/rows/rows.ts';
import { auditActor, callerName } from './principal.ts';
import type { KeyServer } from './server.ts';

const MAX_USER_CHARACTERS = 512;
/** Maximum number of users and realms with a grant on one object, because the grants are read together with it. */
const MAX_GRANTEES = 10_000;

interface GrantChange {
  /** Identifier of the object; `*` for the right to create. */
  readonly id: string;
  /** Name of a user or a realm. */
  readonly user: string;
  /** Names of the rights, which are KMIP operations. */
  readonly operations: readonly string[];
  /** False if the rights are revoked. */
  readonly granting: boolean;
}

/** The change with its rights parsed. */
interface Rights extends GrantChange {
  readonly rights: ReadonlySet<string>;
}

export function isPrivileged({ args }: KeyServer, caller: Principal): boolean {
  return args.privilegedUsers.includes(callerName(caller));
}

/** Runs in one transaction, with its audit row. @throws Fault if the caller may not do this, or the request is not valid */
export async function changeGrants(server: KeyServer, asked: GrantChange, caller: Principal): Promise<void> {
  const rights = rightsOf(asked.operations);
  const change = { ...asked, id: server.objects.canonical(asked.id) };
  const { id, user, granting } = change;
  requireGrantee(user);
  const event: AuditEvent = {
    event: granting ? 'key.grant' : 'key.grant.revoke',
    outcome: 'success',
    target: id,
    reason: `${user}: ${[...rights].join(' ')}`,
    ...auditActor(caller),
  };
  await server.store.transaction(async (tx) => {
    const mark = await requireMayGrant(server, tx, { ...change, rights }, caller);
    const grantee = granting ? await accountToBe(tx, user) : await accountOf(tx, user);
    if (grantee === caller.user) throw new Fault('KEYS_GRANT_SELF');
    // The user of this name no longer exists, so there are no rights to revoke.
    if (grantee === undefined) return tx.audit(event);
    await writeGrant(server, tx, { ...change, rights }, grantee, mark);
    const problem = granting && id !== EVERYTHING ? await quotaProblem(tx, server.args.quotas, caller.user, 'grants') : undefined;
    if (problem) throw new Fault('KEYS_QUOTA_EXCEEDED', { detail: problem });
    await tx.audit(event);
  });
}

/** @param grantee account of the user or realm @param mark that the grants of the object are bound to */
async function writeGrant({ rows }: KeyServer, tx: Transaction, { id, rights, granting }: Rights, grantee: string, mark: Uint8Array): Promise<void> {
  // Revoked rights are void for good: the new mark invalidates earlier rows, even if somebody keeps a copy and restores it.
  const renews = !granting && id !== EVERYTHING;
  const grants = renews ? await rows.grants.read(tx, id, mark) : await rows.grants.readOf(tx, id, mark, [grantee]);
  if (granting && !grants.has(grantee) && !(await hasRoom(rows, tx, id)))
    throw new Fault('KEYS_REFUSED', {
      detail: `Server_Limit_Exceeded: an object can be granted to at most ${MAX_GRANTEES} users, where a realm counts as one; revoke a grant first`,
    });
  const before = grants.get(grantee) ?? new Set<string>();
  const after = granting ? before.union(rights) : before.difference(rights);
  if (renews) await rows.grants.writeAll(tx, id, await rows.renewMark(tx, id), new Map(grants).set(grantee, after));
  else await rows.grants.write(tx, id, mark, grantee, after);
}

/** Makes room, if there is none, in place of deleted users: no list shows their grants, and nobody can revoke them. */
async function hasRoom({ grants }: ObjectRows, tx: Transaction, id: string): Promise<boolean> {
  if (!(await grants.areAsMany(tx, id, MAX_GRANTEES))) return true;
  const users = await grants.usersOf(tx, id);
  const views = await viewAccounts(tx, users);
  const ended = users.filter((user) => views.get(user)?.isEnded);
  await grants.drop(tx, id, ended);
  return users.length - ended.length < MAX_GRANTEES;
}

/**
 * The right to create belongs to no object, so only privileged users may grant it.
 * @returns the mark that the grants of the object are bound to
 */
async function requireMayGrant(server: KeyServer, tx: Transaction, { id, rights, granting }: Rights, caller: Principal): Promise<Uint8Array> {
  if (id !== EVERYTHING) {
    if (rights.has('create')) throw new Fault('KEYS_REFUSED', { detail: 'Invalid_Field: create is granted on * only; leave it out for one object' });
    const object = requireOwned(await server.objects.within(tx, caller).held(id, false), caller);
    // An older version let some of these be granted: they can be taken away.
    if (granting) requireGrantable(object, rights);
    return server.rows.markOf(object);
  }
  if (!isPrivileged(server, caller)) throw new Fault('KEYS_NOT_PRIVILEGED');
  if (rights.size !== 1 || !rights.has('create'))
    throw new Fault('KEYS_REFUSED', { detail: 'Invalid_Field: on * nothing but create can be granted; grant other operations on one object' });
  return NO_MARK;
}

/** @throws Fault KEYS_REFUSED for what only the administrators of an HSM may do with its keys */
function requireGrantable({ id, owner }: ObjectDescription, rights: ReadonlySet<string>): void {
  const reserved = isInstance(owner) ? RESERVED.filter((right) => rights.has(right)) : [];
  if (reserved.length > 0)
    throw new Fault('KEYS_REFUSED', { detail: `Permission_Denied: ${reserved.join(' and ')} on ${id} cannot be granted: reserved for HSM admins only` });
}

/** What ends a key, under the names of all versions, and what makes another one on its token. */
const RESERVED: readonly string[] = (['Destroy', 'Obliterate', 'Revoke', 'Deactivate', 'ReKey', 'ReKeyKeyPair'] satisfies OperationName[]).map((name) =>
  name.toLowerCase(),
);

/** @throws Fault BAD_REQUEST for a name that is not a right */
export function rightsOf(operations: readonly string[]): ReadonlySet<string> {
  try {
    return new Set(operations.map(rightOf));
  } catch (error) {
    throw error instanceof Refusal ? new Fault('BAD_REQUEST', { detail: `operation_types: ${error.message}` }) : error;
  }
}

function requireGrantee(user: string): void {
  if (user.length === 0 || user.length > MAX_USER_CHARACTERS || /\p{Cc}/u.test(user))
    throw new Fault('BAD_REQUEST', { detail: `user_id: must have 1 to ${MAX_USER_CHARACTERS} characters and no control character` });
  if (namingOf(user) === undefined)
    throw new Fault('BAD_REQUEST', { detail: 'user_id: no caller has a name of this form; GET /me shows what a name looks like' });
}
