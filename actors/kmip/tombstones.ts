// Objects of deleted accounts: super admins can list, transfer or destroy them; each change is a transaction with its own audit row.
import { describe, Fault } from '../../kernel/fault.ts';
import { namingOf } from '../../kernel/store/account-name.ts';
import { type AccountView, accountOf, isHeld, viewAccounts } from '../../kernel/store/accounts.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { enumeration, structure } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import type { Principal, TombstoneApi, Tombstones } from './api.ts';
import { requireApart } from './keyset-transfer.ts';
import { applyEvent, settle } from './object/life/lifecycle.ts';
import { revokeDraft } from './object/life/revocation.ts';
import type { DescriptionDraft } from './object/managed-object.ts';
import { auditActor } from './principal.ts';
import type { KeyServer } from './server.ts';
import { handleOf, tombstoneOf } from './tombstone-account.ts';

/** Number of owners that are read at a time, and the maximum in one call. */
const OWNERS_AT_ONCE = 500;
const MAX_OWNERS = 10_000;
/** Number of objects that are changed at a time, and the maximum in one call. */
const AT_ONCE = 100;
const MAX_OBJECTS = 1_000;
/** Time limit of one call, because this thread also serves clients. */
const MAX_CALL_MS = 15_000;

const { Active, Destroyed, DestroyedCompromised } = ENUM.State;
const THERE = `state NOT IN (${Destroyed}, ${DestroyedCompromised})`;
/** Jumps from owner to owner in the index instead of reading every object. */
const NEXT_OWNERS = `WITH RECURSIVE owners (owner) AS (
    SELECT MIN(owner) FROM kms_object WHERE owner > $1
    UNION ALL SELECT (SELECT MIN(kms_object.owner) FROM kms_object WHERE kms_object.owner > owners.owner) FROM owners WHERE owners.owner IS NOT NULL)
  SELECT owner FROM owners WHERE owner IS NOT NULL LIMIT ${OWNERS_AT_ONCE}`;

const NO_LONGER_USED = structure(TAG.RevocationReason, [enumeration(TAG.RevocationReasonCode, ENUM.RevocationReasonCode.CessationOfOperation)]);

export function createTombstones(server: KeyServer): TombstoneApi {
  return {
    tombstones: (after, limit) => list(server, after, limit),
    async transfer(from, to, id, caller) {
      const { account, view } = await tombstoneOf(server.store, from);
      const heir = await heirOf(server, to);
      await requireApart(server, account, heir, id);
      const reason = `from ${view.name} (${handleOf(account)}) to ${to}`;
      const done = await each(server, account, id, '1 = 1', async (tx, draft) => {
        draft.owner = heir;
        await server.objects.within(tx).update(draft);
        // Removes the grant of the new owner, who no longer needs it.
        await dropGrant(server, tx, draft, heir);
        await tx.audit({ event: 'key.transfer', outcome: 'success', target: draft.id, reason, ...auditActor(caller) });
      });
      return { transferred: done, remaining: await count(server, account, '1 = 1') };
    },
    async destroyOwned(from, id, caller) {
      const { account, view } = await tombstoneOf(server.store, from);
      const done = await each(server, account, id, THERE, (tx, draft) => destroy(server, tx, draft, account, view, caller));
      return { destroyed: done, remaining: await count(server, account, THERE) };
    },
  };
}

async function list({ store }: KeyServer, after: string | undefined, limit: number): Promise<Tombstones> {
  const found: Tombstones['tombstones'][number][] = [];
  let last = after ?? '';
  for (let seen = 0; seen < MAX_OWNERS; seen += OWNERS_AT_ONCE) {
    const owners = (await store.all<{ owner: string }>(NEXT_OWNERS, [last])).map(({ owner }) => owner);
    const views = await viewAccounts(store, owners);
    for (const owner of owners) {
      const view = views.get(owner);
      const objects = view?.isEnded ? await count({ store }, owner, THERE) : 0;
      if (view && objects > 0) found.push({ account: handleOf(owner), name: view.name, ended_at: seconds(view.endedAt), objects });
      last = owner;
      if (found.length === limit) return { tombstones: found, next: last };
    }
    if (owners.length < OWNERS_AT_ONCE) return { tombstones: found, next: null };
  }
  return { tombstones: found, next: last };
}

const seconds = (ms: number | null): number | null => (ms === null ? null : Math.floor(ms / 1000));

/** The account of a name that a user has, or that an external authority assigns. @throws Fault KEYS_REFUSED */
async function heirOf({ store }: KeyServer, name: string): Promise<string> {
  const naming = namingOf(name);
  const account = name === '*' || (naming?.kind === 'guest' && naming.local === '*') ? undefined : await accountOf(store, name);
  if (account === undefined || !(await isHeld(store, name)))
    throw new Fault('KEYS_REFUSED', { detail: 'Invalid_Field: to: must be the name of exactly one user; GET /me shows what a name looks like' });
  return account;
}

/**
 * @param id of the only object, or undefined for all @returns how many objects were changed @throws Fault KEYS_OBJECT_NOT_FOUND if that object does not
 * exist
 */
async function each(
  server: KeyServer,
  account: string,
  id: string | undefined,
  which: string,
  work: (tx: Transaction, draft: DescriptionDraft) => Promise<void>,
): Promise<number> {
  if (id !== undefined) {
    if (!(await changeOne(server, account, id, which, work))) throw new Fault('KEYS_OBJECT_NOT_FOUND');
    return 1;
  }
  const until = server.monotonic() + MAX_CALL_MS;
  let done = 0;
  let last = 0;
  for (let seen = 0; seen < MAX_OBJECTS && server.monotonic() < until; seen += AT_ONCE) {
    const sql = `SELECT id, seq FROM kms_object WHERE owner = $1 AND seq > $2 AND ${which} ORDER BY seq LIMIT ${AT_ONCE}`;
    const rows = await server.store.all<{ id: string; seq: number | string }>(sql, [account, last]);
    // Transactions that are started together share a commit, each with its own savepoint.
    done += (await Promise.all(rows.map((row) => changeIfCan(server, account, row.id, which, work)))).filter(Boolean).length;
    last = Number(rows.at(-1)?.seq ?? last);
    if (rows.length < AT_ONCE) break;
  }
  return done;
}

/** Logs the problems of one object, so that they do not affect the others. @throws Fault if the database fails */
async function changeIfCan(...args: Parameters<typeof changeOne>): Promise<boolean> {
  try {
    return await changeOne(...args);
  } catch (error) {
    if (error instanceof Fault) throw error;
    args[0].log.error({ object: args[2], error: describe(error) }, 'an object of a deleted account could not be changed');
    return false;
  }
}

/** @returns false for an object that does not exist, or has another owner by now */
async function changeOne(
  { store, objects }: KeyServer,
  account: string,
  id: string,
  which: string,
  work: (tx: Transaction, draft: DescriptionDraft) => Promise<void>,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    if (!(await tx.get(`SELECT id FROM kms_object WHERE id = $1 AND owner = $2 AND ${which}`, [id, account]))) return false;
    const draft = await objects.within(tx).describe(id);
    if (draft?.owner !== account) return false;
    await work(tx, draft);
    return true;
  });
}

/** Revokes an active object first, because nobody else is left who could. */
async function destroy(server: KeyServer, tx: Transaction, draft: DescriptionDraft, account: string, view: AccountView, caller: Principal): Promise<void> {
  const now = Math.floor(server.now() / 1000);
  settle(draft, now);
  if (draft.state === Active) revokeDraft(draft, { reason: NO_LONGER_USED, compromised: false, occurrence: undefined, now });
  applyEvent(draft, 'destroy', now);
  await server.objects.within(tx).update(draft);
  const reason = `owned by ${view.name} (${handleOf(account)})`;
  await tx.audit({ event: 'key.destroy', outcome: 'success', target: draft.id, reason, ...auditActor(caller) });
}

async function dropGrant({ rows }: KeyServer, tx: Transaction, draft: DescriptionDraft, user: string): Promise<void> {
  const grants = new Map(await rows.grantsOf(tx, draft));
  if (grants.delete(user)) await rows.grants.writeAll(tx, draft.id, await rows.renewMark(tx, draft.id), grants);
}

async function count({ store }: Pick<KeyServer, 'store'>, account: string, which: string): Promise<number> {
  return Number((await store.get<{ n: number | string }>(`SELECT COUNT(*) AS n FROM kms_object WHERE owner = $1 AND ${which}`, [account]))?.n ?? 0);
}
