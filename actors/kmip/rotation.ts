// Rotates the objects that are due by their Rotate attributes and records state changes caused by time, each object in a change of its own.
import { setImmediate } from 'node:timers/promises';
import { describe, Fault } from '../../kernel/fault.ts';
import { viewAccounts } from '../../kernel/store/accounts.ts';
import { refusalOf } from '../../kmip/crypto-refusal.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { interval, type Structure, structure, TYPE } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { WORKING_VERSION } from '../../kmip/version.ts';
import type { Principal } from './api.ts';
import { reCertifyDraft } from './certificate/renewal.ts';
import { BatchContext } from './context.ts';
import { type PairSource, withPair } from './creation/pair-source.ts';
import { rekeyDraft } from './creation/replacement-key.ts';
import { rekeyPair } from './creation/replacement-pair.ts';
import { isUnanswered } from './object/hsm-key/unanswered.ts';
import { dateAttribute, settle, stateAt } from './object/life/lifecycle.ts';
import { rotationDue } from './object/life/rotation-due.ts';
import type { Draft, ObjectDescription } from './object/managed-object.ts';
import { type Outside, withOutside } from './object/outside.ts';
import { postponeDue } from './object/rows/date-columns.ts';
import { type Rekeyed, rewrapLeft } from './object/wrapping/rewrapping.ts';
import type { ObjectTransaction } from './operation-context.ts';
import { auditActor } from './principal.ts';
import type { KeyServer } from './server.ts';
import { resumeRewrapping } from './unfinished-rewrapping.ts';

const AT_ONCE = 1_000;
/** Changes that wait at the same moment, and so reach the disk together: one after the other, each would wait for it alone. */
const TOGETHER = 16;

interface DueRow {
  readonly id: string;
  readonly object_type: number | string;
  readonly owner: string;
  readonly seq: number | string;
  readonly due_at: number | string;
}

/** Time limit of one run: generating key pairs takes long, and this thread also serves clients. */
const MAX_TIME_MS = 20_000;

/** The position of an object in the order in which they are due: its `due_at` and its `seq`. */
type Place = readonly [number, number];
const BEGINNING: Place = [Number.MIN_SAFE_INTEGER, 0];

/** Where the last run ran out of time; the next run continues from here. */
const unfinished = new WeakMap<KeyServer['store'], Place>();

/**
 * Goes on with what earlier rotations have left, and processes all due objects until the time is up. It must visit all of them, because objects that cannot be rotated stay due.
 * @returns the number of rotated objects
 */
export async function rotateDue(server: KeyServer): Promise<number> {
  await resumeRewrapping(server);
  const now = server.now();
  const began = server.monotonic();
  let rotated = 0;
  let after = unfinished.get(server.store) ?? BEGINNING;
  unfinished.delete(server.store);
  for (;;) {
    const sql = `SELECT id, object_type, owner, seq, due_at FROM kms_object WHERE due_at <= $1 AND (due_at, seq) > ($2, $3) ORDER BY due_at, seq LIMIT ${AT_ONCE}`;
    const due = await server.store.all<DueRow>(sql, [now, ...after]);
    const owners = await viewAccounts(
      server.store,
      due.map(({ owner }) => owner),
    );
    for (const rows of groupsOf(due)) {
      if (server.monotonic() - began > MAX_TIME_MS) {
        unfinished.set(server.store, after);
        return rotated;
      }
      const callerOf = ({ owner }: DueRow): Principal => ({ user: owner, name: owners.get(owner)?.name ?? owner, scheme: 'rotation', source: '' });
      const outcomes = await Promise.allSettled(rows.map((row) => rotateAlone(server, row, callerOf(row))));
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') throw outcome.reason;
        if (outcome.value) rotated += 1;
      }
      const last = rows.at(-1) as DueRow;
      after = [Number(last.due_at), Number(last.seq)];
      // Lets clients that wait for this thread run in between.
      await setImmediate();
    }
    if (due.length < AT_ONCE) return rotated;
  }
}

const LONG: ReadonlySet<number> = new Set([ENUM.ObjectType.PrivateKey, ENUM.ObjectType.Certificate]);
const isLong = ({ object_type: type }: DueRow): boolean => LONG.has(Number(type));

/** In their order. A key pair takes long to make, and a certificate needs a signature: each is alone, so that clients keep their share of the cores. */
function groupsOf(due: readonly DueRow[]): readonly DueRow[][] {
  const groups: DueRow[][] = [];
  for (const row of due) {
    const group = groups.at(-1);
    if (group?.[0] && group.length < TOGETHER && !isLong(group[0]) && !isLong(row)) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** The problems of one object, among them an HSM that does not answer, do not stop the rotation of others. @throws Fault if the database fails */
async function rotateAlone(server: KeyServer, row: DueRow, owner: Principal): Promise<boolean> {
  // The rotation runs with the owner's rights, because the owner's attributes request it.
  const ctx = new BatchContext(server, owner, WORKING_VERSION);
  try {
    const rotated = await withPair(ctx, (source) => withOutside((outside) => ctx.change((tx) => rotate(tx, row.id, ctx, source, outside))));
    if (typeof rotated === 'object') await rewrapLeft(ctx, rotated);
    return rotated !== false;
  } catch (error) {
    const reason = refusalOf(error)?.reason ?? (isUnanswered(error) ? error.code : undefined);
    if (reason === undefined && error instanceof Fault) throw error;
    // Another node makes the next generation, or somebody else has made it: as a rule the next look finds it rotated, or goes on to the name after that.
    if (reason === 'ObjectAlreadyExists' && isFirstMeeting(server, row.id))
      server.log.info({ object: row.id }, 'the next generation of an object is there already; the server looks again');
    else await postpone(server, row, owner, reason, error);
    return false;
  } finally {
    ctx.opening.end();
  }
}

/** Objects whose next generation was there at a look of this thread: once is another node, twice is a failure like any other. */
const met = new WeakMap<KeyServer['store'], Set<string>>();

function isFirstMeeting({ store }: KeyServer, id: string): boolean {
  const ids = met.get(store) ?? new Set();
  met.set(store, ids);
  if (ids.size >= AT_ONCE) ids.clear();
  const before = ids.size;
  return ids.add(id).size > before;
}

const [SOONEST_MS, LATEST_MS] = [60_000, 3_600_000];

/** An object that cannot be rotated is tried again after longer and longer times, up to an hour, and told the first time: in the log and in the audit log. */
async function postpone(server: KeyServer, row: DueRow, owner: Principal, reason: string | undefined, error: unknown): Promise<void> {
  const { id } = row;
  const object = (await server.rows.describe(server.store, id))?.object;
  const now = server.now();
  const stands = Number(row.due_at);
  const due = (object && dueSince(object, now / 1000)) ?? stands / 1000;
  // What was postponed before is due later by its row than by its attributes.
  const isFirst = stands <= due * 1000;
  const next = now + (isFirst ? SOONEST_MS : Math.min(Math.max(now - due * 1000, SOONEST_MS), LATEST_MS));
  const isMine = await server.store.transaction(async (tx) => {
    const postponed = await postponeDue(tx, id, stands, next);
    if (postponed && isFirst) await tx.audit({ event: 'key.rotate', target: id, outcome: 'failure', reason: reason ?? 'INTERNAL', ...auditActor(owner) });
    return postponed;
  });
  if (!isMine) return;
  const problem = { object: id, reason: reason ?? describe(error), next_attempt: new Date(next).toISOString() };
  if (!isFirst) server.log.debug(problem, 'an object could not be rotated');
  else server.log[reason === undefined ? 'error' : 'warn'](problem, 'an object could not be rotated; the server tries again, and tells the first time only');
}

/** Of one that is stored as it was before its activation, its row is due then. @param now seconds */
function dueSince(object: ObjectDescription, now: number): number | undefined {
  const due = rotationDue({ ...object, state: stateAt(object, now) });
  return due === undefined ? undefined : Math.max(due, dateAttribute(object.attributes, TAG.ActivationDate) ?? due);
}

async function rotate(tx: ObjectTransaction, id: string, ctx: BatchContext, source: PairSource, outside: Outside): Promise<boolean | Rekeyed> {
  const draft = await tx.read(id);
  if (draft?.owner !== ctx.caller.user) return false;
  settle(draft, ctx.now);
  const due = rotationDue(draft);
  if (due === undefined || due > ctx.now) {
    await tx.update(draft);
    return false;
  }
  const whole = await tx.readWhole(id);
  if (!whole) return false;
  settle(whole, ctx.now);
  return replaceByKind(tx, whole, ctx, source, outside);
}

async function replaceByKind(tx: ObjectTransaction, draft: Draft, ctx: BatchContext, source: PairSource, outside: Outside): Promise<boolean | Rekeyed> {
  switch (draft.type) {
    case ENUM.ObjectType.SymmetricKey:
      return rekeyDraft(tx, draft, buildRequest(draft), ctx, outside);
    case ENUM.ObjectType.PrivateKey:
      await rekeyPair(tx, draft, buildRequest(draft), ctx, source);
      return true;
    case ENUM.ObjectType.Certificate:
      await reCertifyDraft(tx, draft, buildRequest(draft), ctx, outside);
      return true;
    default:
      // A public key is rotated with its private key.
      await tx.update(draft);
      return false;
  }
}

/** The request that a client would send: RotateOffset is the Offset of the operation (KMIP 2.1 section 4.54). */
function buildRequest({ attributes }: Draft): Structure {
  const offset = attributes.first(TAG.RotateOffset);
  return structure(TAG.RequestPayload, offset?.type === TYPE.Interval ? [interval(TAG.Offset, offset.value)] : []);
}
