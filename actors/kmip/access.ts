// Grants as the /access endpoints have them: an owner's objects, what others let one do, and who may create.
import { Fault } from '../../kernel/fault.ts';
import { namingOf } from '../../kernel/store/account-name.ts';
import { accountOf, accountToBe } from '../../kernel/store/accounts.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { Refusal } from '../../kmip/refusal.ts';
import { listGrantees, listObtained, listOwned } from './access-lists.ts';
import { withRefusals } from './access-refusals.ts';
import type { AccessApi, Principal } from './api.ts';
import { mayCreate } from './object/create.ts';
import { EVERYTHING, isGranted, isKnown, rightOf } from './object/grants.ts';
import type { ObjectDescription } from './object/managed-object.ts';
import { quotaProblem } from './object/quota.ts';
import { NO_MARK } from './object/row-seal.ts';
import { auditActor, callerName, subjectOf } from './principal.ts';
import type { KeyServer } from './server.ts';

const LONGEST_USER = 512;
/** Users and realms that one object is granted to: they are read with it. */
const MOST_GRANTEES = 10_000;

export function createAccess(server: KeyServer): AccessApi {
  const { store, rows, objects, args } = server;
  const isPrivileged = (caller: Principal) => args.privilegedUsers.includes(callerName(caller));

  /** @throws Fault KEYS_OBJECT_NOT_FOUND for what the caller may not know of, KEYS_NOT_OWNER for what is another's */
  async function owned(id: string, caller: Principal): Promise<ObjectDescription> {
    const held = await objects.held(id, false);
    if (!held || (held.object.owner !== caller.user && !isKnown(held.grants, caller))) throw new Fault('KEYS_OBJECT_NOT_FOUND');
    requireOwner(held.object, caller);
    return held.object;
  }

  async function change(id: string, user: string, operations: readonly string[], caller: Principal, granting: boolean): Promise<void> {
    const rights = named(operations);
    requireGrantee(user);
    const event: AuditEvent = {
      event: granting ? 'key.grant' : 'key.grant.revoke',
      outcome: 'success',
      target: id,
      reason: `${user}: ${[...rights].join(' ')}`,
      ...auditActor(caller),
    };
    await store.transaction(async (tx) => {
      const mark = await requireMayGrant(tx, id, rights, caller);
      const grantee = granting ? await accountToBe(tx, user) : await accountOf(tx, user);
      if (grantee === caller.user) throw new Fault('KEYS_GRANT_SELF');
      // A name whose holder is gone has no rights that could be taken away.
      if (grantee === undefined) return tx.audit(event);
      const grants = await rows.grants.read(tx, id, mark);
      if (granting && !grants.has(grantee) && grants.size >= MOST_GRANTEES)
        throw new Fault('KEYS_REFUSED', { detail: `Server_Limit_Exceeded: an object is granted to ${MOST_GRANTEES} users at most, a realm counts as one` });
      const before = grants.get(grantee) ?? new Set<string>();
      const after = granting ? before.union(rights) : before.difference(rights);
      // Rights that are taken away are void for good: a row that was kept aside and put back is bound to what the object was.
      if (granting || id === EVERYTHING) await rows.grants.write(tx, id, mark, grantee, after);
      else await rows.grants.writeAll(tx, id, await rows.renewMark(tx, id), new Map(grants).set(grantee, after));
      const problem = granting && id !== EVERYTHING ? await quotaProblem(tx, args.quotas, caller.user, 'grants') : undefined;
      if (problem) throw new Fault('KEYS_QUOTA_EXCEEDED', { detail: problem });
      await tx.audit(event);
    });
    objects.bump([id]);
  }

  /** The right to create is on no object: those who always have it give it. @returns what the grants of the object are bound to */
  async function requireMayGrant(tx: Transaction, id: string, rights: ReadonlySet<string>, caller: Principal): Promise<Uint8Array> {
    if (id !== EVERYTHING) {
      if (rights.has('create')) throw new Fault('KEYS_REFUSED', { detail: 'Invalid_Field: create is granted on * only, it is about no object' });
      const held = await objects.within(tx).held(id, false);
      if (!held || (held.object.owner !== caller.user && !isKnown(held.grants, caller))) throw new Fault('KEYS_OBJECT_NOT_FOUND');
      requireOwner(held.object, caller);
      return rows.markOf(held.object);
    }
    if (!isPrivileged(caller)) throw new Fault('KEYS_NOT_PRIVILEGED');
    if (rights.size !== 1 || !rights.has('create')) throw new Fault('KEYS_REFUSED', { detail: 'Invalid_Field: on * nothing but create can be granted' });
    return NO_MARK;
  }

  return withRefusals(server, {
    owned: (caller, page) => listOwned(server, caller, page),
    obtained: (caller, page) => listObtained(server, caller, page),
    async grantees(id, caller, page) {
      return listGrantees(server, await owned(id, caller), page);
    },
    grant: (id, user, operations, caller) => change(id, user, operations, caller, true),
    revoke: (id, user, operations, caller) => change(id, user, operations, caller, false),
    mayCreate: (caller) => mayCreate({ server, caller }),
    isPrivileged: async (caller) => isPrivileged(caller),
    async check(id, user, operations, caller) {
      const rights = named(operations);
      const held = await objects.held(id, false);
      const visible = held && (held.object.owner === caller.user || isKnown(held.grants, caller));
      const subject = user === undefined || user === callerName(caller) ? caller : await subjectOf(store, user);
      if (subject !== caller && visible) requireOwner(held.object, caller);
      const may = (right: string) =>
        visible === true && subject !== undefined && (held.object.owner === subject.user || isGranted(held.grants, subject, right));
      return Object.fromEntries([...rights].map((right) => [right, may(right)]));
    },
  });
}

function requireOwner(object: ObjectDescription, caller: Principal): void {
  if (object.owner !== caller.user) throw new Fault('KEYS_NOT_OWNER', { detail: `the object ${object.id} is not owned by ${callerName(caller)}` });
}

function named(operations: readonly string[]): ReadonlySet<string> {
  try {
    return new Set(operations.map(rightOf));
  } catch (error) {
    throw error instanceof Refusal ? new Fault('BAD_REQUEST', { detail: `operation_types: ${error.message}` }) : error;
  }
}

function requireGrantee(user: string): void {
  if (user.length === 0 || user.length > LONGEST_USER || /\p{Cc}/u.test(user))
    throw new Fault('BAD_REQUEST', { detail: `user_id: has 1 to ${LONGEST_USER} characters, no control character` });
  if (namingOf(user) === undefined) throw new Fault('BAD_REQUEST', { detail: 'user_id: no caller has a name of this form; GET /me tells what names are like' });
}
