// Finds objects in the database by their attributes: with the index if possible, otherwise by reading the objects.
import { setImmediate } from 'node:timers/promises';
import { isTags, referenceTo } from '../../../../kmip/attribute/reference.ts';
import { ruleOf } from '../../../../kmip/attribute/rules.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { parseTags } from '../../../../kmip/tags.ts';
import { LARGEST_DATE } from '../../../../kmip/ttlv/date-time.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../../kmip/ttlv/mask.ts';
import { tagName } from '../../../../kmip/ttlv/names.ts';
import { type Node, TYPE } from '../../../../kmip/ttlv/node.ts';
import { textOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { owns } from '../../principal.ts';
import { granteesOf } from '../grants.ts';
import { isIndexed, keysetIn, keysetTerm, tagTerm, termOf } from '../index-terms.ts';
import type { Found, Search } from '../object-source.ts';
import type { GrantRow } from '../rows/grant-rows.ts';
import { NO_MARK } from '../rows/row-seal.ts';
import { findByIndex } from './index-search.ts';
import { COMPUTED, matches, rangeOf } from './matching.ts';
import { type Scope, Selection } from './selection.ts';
import { isState, isType, stateCondition, typeConditions } from './state-and-type.ts';
import { selectWhereabouts, type Whereabouts, whereaboutsOf } from './whereabouts.ts';

interface Candidate {
  readonly id: string;
  readonly seq: number | string;
  readonly bytes: number | string;
}

const { Destroyed, DestroyedCompromised } = ENUM.State;
const { OnLineStorage, ArchivalStorage, DestroyedStorage } = MASK.StorageStatusMask;
/** Limits for objects that are read at a time, and for the bytes of their attributes. */
const MAX_LOOKED_AT = 128;
const MAX_LOOKED_AT_BYTES = 4_194_304;
/** Objects that are read although the page is full, to tell how many match. */
const MAX_READ_TO_COUNT = 1_024;
/** Time limit for reading objects one batch after the other, well within the deadline of a call even as the last item of a message. */
const MAX_SCAN_MS = 30_000;
/** The same within a batch that may be undone, which blocks all other writers, and on SQLite this thread. */
const MAX_SCAN_IN_TRANSACTION_MS = 2_000;
/** Maximum in one search: both databases accept this many in one statement, and it is more than anybody needs. */
const MAX_CONDITIONS = 100;

const NOTHING: Found = { ids: [], total: 0 };

/** Many clients take the first object with the right name, so objects granted by others must not come before the caller's own. */
export async function findObjects(ctx: OperationContext, all: Search): Promise<Found> {
  const { attributes, asked } = await whereaboutsOf(ctx.reader, all.attributes);
  const search = { ...all, attributes };
  const own = asked.scopes.includes('own') ? await findIn(ctx, 'own', search, asked) : NOTHING;
  if (own.total === undefined || !asked.scopes.includes('granted')) return own;
  const offset = Math.max(0, search.offset - own.total);
  const granted = await findIn(ctx, 'granted', { ...search, offset, limit: search.limit - own.ids.length }, asked);
  return { ids: [...own.ids, ...granted.ids], total: granted.total === undefined ? undefined : own.total + granted.total };
}

async function findIn(ctx: OperationContext, scope: Scope, search: Search, asked: Whereabouts): Promise<Found> {
  const begin = () => {
    const selection = new Selection(ctx.caller, scope);
    selectWhereabouts(selection, asked);
    return { selection, rest: select(selection, ctx, search) };
  };
  const { selection, rest } = begin();
  if (rest.length > 0) return scan(ctx, scope, selection, rest, search);
  const fresh = () => begin().selection;
  const { ids: found, total } = await findByIndex({ ctx, scope, fresh, terms: selection.terms }, search);
  const known = await filterPermitted(ctx, scope, found);
  const ids = found.filter((id) => known.has(id));
  return { ids, total: total === undefined ? undefined : total - (found.length - ids.length) };
}

/** The index only gives candidates. Each identifier is checked against its owner and grants, which are protected by MACs, before it is returned. */
async function filterPermitted({ server: { rows }, reader, caller }: OperationContext, scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const facts = await rows.factsOf(reader, ids);
  const isOwn = (id: string) => owns(caller, facts.get(id)?.owner ?? '');
  if (scope === 'own') return new Set(ids.filter(isOwn));
  const others = ids.filter((id) => facts.has(id) && !isOwn(id));
  const grants = await rows.grants.ofUsersOn(reader, granteesOf(caller), others);
  const isGrant = (row: GrantRow) => rows.grants.isOwn(row, facts.get(row.object_id)?.mark ?? NO_MARK);
  return new Set(grants.filter(isGrant).map((row) => row.object_id));
}

/**
 * For conditions that the index cannot check: reads the objects that meet the other conditions, one batch at a time. Once the page is full, it counts
 * the others only if they are few.
 * @throws Refusal ServerLimitExceeded if the time is up
 */
async function scan(ctx: OperationContext, scope: Scope, selection: Selection, rest: readonly Node[], { offset, limit }: Search): Promise<Found> {
  const { server, reader } = ctx;
  const isAlone = reader === server.store;
  const until = server.monotonic() + (isAlone ? MAX_SCAN_MS : MAX_SCAN_IN_TRANSACTION_MS);
  const ids: string[] = [];
  let [total, read] = [0, 0];
  const sql = selection.sql();
  const before = selection.param(Number.MAX_SAFE_INTEGER);
  const params = [...selection.params];
  for (;;) {
    const rows = await reader.all<Candidate>(`${sql} AND o.seq < ${before} ORDER BY seq DESC LIMIT ${MAX_LOOKED_AT}`, params);
    const part = fitCandidates(rows);
    const found = part.map(({ id }) => id);
    const known = await filterPermitted(ctx, scope, found);
    for (const object of await server.rows.describeAll(
      reader,
      found.filter((id) => known.has(id)),
    )) {
      if (!matches(object, rest, ctx)) continue;
      if (total >= offset && ids.length < limit) ids.push(object.id);
      total += 1;
    }
    if (part.length === rows.length && rows.length < MAX_LOOKED_AT) return { ids, total };
    read += part.length;
    if (ids.length === limit && read >= MAX_READ_TO_COUNT) return { ids, total: undefined };
    if (server.monotonic() > until) throw tookTooLong(rest, isAlone);
    params[params.length - 1] = Number(part.at(-1)?.seq);
    // Lets other work on this thread run; a transaction must not wait here.
    if (isAlone) await setImmediate();
  }
}

function tookTooLong(rest: readonly Node[], isAlone: boolean): Refusal {
  const names = [...new Set(rest.map(({ tag }) => tagName(tag)))].join(', ');
  const how = `search among fewer, as with a name, a tag or a range of InitialDate${isAlone ? '' : ', or outside of a batch that may be undone'}`;
  return new Refusal('ServerLimitExceeded', `to look for ${names} is to read one object after the other, and there are too many: ${how}`);
}

/** The first rows whose attributes fit together into one batch. */
function fitCandidates(rows: readonly Candidate[]): readonly Candidate[] {
  let bytes = 0;
  const over = rows.findIndex((row, at) => {
    bytes += Number(row.bytes);
    return at > 0 && bytes > MAX_LOOKED_AT_BYTES;
  });
  return over === -1 ? rows : rows.slice(0, over);
}

/** Adds the conditions that the database can check to the selection. @returns the conditions to check on the objects themselves */
function select(selection: Selection, { now, version }: OperationContext, { attributes, storage, groupMember }: Search): Node[] {
  if (attributes.length > MAX_CONDITIONS) throw new Refusal('InvalidField', `a search can contain at most ${MAX_CONDITIONS} attributes`);
  for (const condition of storageCondition(storage, attributes)) selection.where(condition);
  for (const condition of typeConditions(selection, attributes, version)) selection.where(condition);
  const rest: Node[] = [];
  for (const node of attributes) {
    if (!ruleOf(node.tag)) throw new Refusal('InvalidAttribute', `${tagName(node.tag)} is not an attribute`);
    const tags = tagsAsked(node);
    const column = DATE_COLUMNS.get(node.tag);
    if (tags) for (const tag of tags) selection.term(tagTerm(tag));
    else if (node.tag === TAG.UniqueIdentifier && node.type === TYPE.TextString) selection.where(`o.id = ${selection.param(node.value)}`);
    else if (isType(node)) continue;
    else if (isState(node)) selection.where(stateCondition(selection, node.value, now));
    else if (column !== undefined && node.type === TYPE.DateTime) {
      const [first, last] = rangeOf(attributes, node.tag);
      if (last === LARGEST_DATE) selection.where(`(o.${column} IS NULL OR o.${column} >= ${selection.param(first)})`);
      else selection.where(`o.${column} BETWEEN ${selection.param(first)} AND ${selection.param(last)}`);
    } else if (isIndexed(node) && !COMPUTED.has(node.tag)) selection.term(termOf(node));
    else {
      // The members of a keyset are few, and have its name in the index: only they are read.
      const keyset = node.tag === TAG.RotateName ? keysetIn(node) : undefined;
      if (keyset !== undefined) selection.term(keysetTerm(keyset));
      rest.push(node);
    }
  }
  if (groupMember !== undefined) rest.push({ tag: TAG.ObjectGroupMember, type: TYPE.Enumeration, value: groupMember });
  return rest;
}

/** Dates that have a column of their own. */
const DATE_COLUMNS: ReadonlyMap<number, string> = new Map([
  [TAG.InitialDate, 'initial_date'],
  [TAG.ActivationDate, 'activation_date'],
  [TAG.DeactivationDate, 'deactivation_date'],
]);

/** The mask selects where to search. Without a mask, only on-line objects are found, and destroyed ones only if the search names a state. */
function storageCondition(storage: number | undefined, attributes: readonly Node[]): string[] {
  const destroyed = `o.state IN (${Destroyed}, ${DestroyedCompromised})`;
  const byState = attributes.some(({ tag }) => tag === TAG.State);
  if (storage === undefined) return byState ? ['o.archived = 0'] : ['o.archived = 0', `NOT ${destroyed}`];
  const parts: string[] = [];
  if (storage & OnLineStorage) parts.push(byState ? 'o.archived = 0' : `(o.archived = 0 AND NOT ${destroyed})`);
  if (storage & ArchivalStorage) parts.push('o.archived = 1');
  if (storage & DestroyedStorage) parts.push(destroyed);
  return [parts.length === 0 ? '1 = 0' : `(${parts.join(' OR ')})`];
}

/** The tags in the vendor attribute `tag`. */
function tagsAsked(node: Node): string[] | undefined {
  return node.type === TYPE.Structure && isTags(referenceTo(node)) ? parseTags(textOf(node, TAG.AttributeValue) ?? '') : undefined;
}
