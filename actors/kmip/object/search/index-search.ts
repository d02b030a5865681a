// Finds objects by what the indexes hold, in a time that does not grow with the number of objects: what is rare is read whole, of what is common the first page.
import { setImmediate } from 'node:timers/promises';
import { plannedAnew } from '../../../../kernel/store/planned-anew.ts';
import type { Reader } from '../../../../kernel/store/store.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { OperationContext } from '../../operation-context.ts';
import type { IndexTerm } from '../index-terms.ts';
import type { Found, Search } from '../object-source.ts';
import type { Scope, Selection } from './selection.ts';

export interface IndexedSearch {
  readonly ctx: OperationContext;
  readonly scope: Scope;
  /** Makes the selection anew: each statement has parameters of its own. */
  fresh(): Selection;
  readonly terms: readonly IndexTerm[];
  readonly bounds: Bounds;
}

type Window = Pick<Search, 'offset' | 'limit'>;

/** Numbers of objects. */
interface Bounds {
  /** Up to so many with a term are few: all are read. */
  readonly few: number;
  /** Counted by an index alone. */
  readonly counted: number;
  /** Looked at together, and at most: until the page is full, and to count those that match. */
  readonly together: number;
  readonly walked: number;
  readonly walkedToCount: number;
  /** Looked at for a page behind the first of these, as long as what was found so far promises the page within so many. */
  readonly walkedFar: number;
  /** Read together for a page behind those. */
  readonly far: number;
}

const BOUNDS: Bounds = { few: 2_000, counted: 100_000, together: 5_000, walked: 10_000, walkedToCount: 10_000, walkedFar: 40_000, far: 200_000 };

/**
 * The index only gives candidates: the caller checks the rights on each.
 * @throws Refusal ServerLimitExceeded for a page far behind, of terms that so many objects have that it would take seconds
 */
export async function findByIndex(given: Omit<IndexedSearch, 'bounds'>, window: Window, bounds = BOUNDS): Promise<Found> {
  const search: IndexedSearch = { ...given, bounds };
  if (search.terms.length === 0) return search.scope === 'own' ? byPlace(search, window) : together(search, window, (selection) => selection.sql());
  const few = await fewest(search);
  if (few !== undefined) return among(search, few, window);
  if (search.scope === 'granted') return together(search, window, (selection) => selection.sql());
  const isOne = (search.ctx.caller.administers?.length ?? 0) === 0;
  const isFar = window.offset + window.limit > bounds.walkedFar;
  const walked = isOne && !isFar ? await walk(search, window) : undefined;
  if (walked) return walked;
  if (isFar && (await fewest(search, bounds.far)) === undefined) throw tooFar(window, bounds);
  return together(search, window, (selection) => selection.sqlOfAll());
}

/** Conditions on columns only: an index has them all, so that what comes before the page and what is counted is not read. */
async function byPlace(search: IndexedSearch, window: Window): Promise<Found> {
  const { ctx, fresh, bounds } = search;
  const { offset, limit } = window;
  if (limit === 0) return { ids: [], total: await countPlaces(ctx.reader, fresh(), Math.max(offset, bounds.counted)) };
  if (offset + limit <= bounds.counted) return byCountedPlace(search, window);
  const selection = fresh();
  const page = `${selection.sqlOfPlaces('o.id, o.seq')} ORDER BY o.seq DESC LIMIT ${selection.param(limit)} OFFSET ${selection.param(offset)}`;
  const ids = (await ctx.reader.all<{ id: string }>(page, selection.params)).map(({ id }) => id);
  if (ids.length === limit) return { ids, total: undefined };
  return { ids, total: ids.length > 0 ? offset + ids.length : await countPlaces(ctx.reader, fresh(), offset) };
}

/** One walk through the index counts and has the page: what few of many objects are is not looked for twice. */
async function byCountedPlace({ ctx: { reader }, fresh, bounds: { counted } }: IndexedSearch, { offset, limit }: Window): Promise<Found> {
  const selection = fresh();
  const places = `${selection.sqlOfPlaces()} ORDER BY o.seq DESC LIMIT ${selection.param(counted + 1)}`;
  const page = `SELECT seq FROM places ORDER BY seq DESC LIMIT ${selection.param(limit)} OFFSET ${selection.param(offset)}`;
  const sql = `WITH places AS MATERIALIZED (${places})
    SELECT id, (SELECT COUNT(*) FROM places) AS n FROM kms_object WHERE seq IN (${page}) ORDER BY seq DESC`;
  const rows = await reader.all<{ id: string; n: number | string }>(sql, selection.params);
  if (!rows[0]) return { ids: [], total: offset === 0 ? 0 : await countPlaces(reader, fresh(), counted) };
  const total = Number(rows[0].n);
  return { ids: rows.map(({ id }) => id), total: total > counted ? undefined : total };
}

/** @returns undefined for more than `most` */
async function countPlaces(reader: Reader, selection: Selection, most: number): Promise<number | undefined> {
  const sql = `SELECT COUNT(*) AS n FROM (${selection.sqlOfPlaces()} LIMIT ${selection.param(most + 1)}) AS found`;
  const total = Number((await reader.get<{ n: number | string }>(sql, selection.params))?.n ?? 0);
  return total > most ? undefined : total;
}

function tooFar({ offset }: Window, { walkedFar, far }: Bounds): Refusal {
  const most = `of more than ${far} objects that all have what is searched for, at most ${walkedFar} can be passed over`;
  return new Refusal('ServerLimitExceeded', `OffsetItems is ${offset}: ${most}; search for fewer, as with a range of InitialDate`);
}

/** @returns the place of the first term that few objects have: of the caller's own, or of all, among which are those that others granted */
async function fewest({ ctx: { reader, caller }, scope, terms, bounds }: IndexedSearch, few = bounds.few): Promise<number | undefined> {
  const owners = scope === 'own' ? [caller.user, ...(caller.administers ?? [])] : [];
  const whose = owners.length === 0 ? '' : ` AND owner IN (${owners.map((_, at) => `$${at + 3}`).join(', ')})`;
  const sql = `SELECT COUNT(*) AS n FROM (SELECT 1 FROM kms_attribute WHERE tag = $1 AND value = $2${whose} LIMIT ${few + 1}) AS few`;
  for (const [at, { tag, value }] of terms.entries()) {
    const found = await reader.get<{ n: number | string }>(sql, [tag, value, ...owners]);
    if (Number(found?.n ?? 0) <= few) return at;
  }
  return undefined;
}

async function among({ ctx: { reader }, fresh }: IndexedSearch, few: number, { offset, limit }: Window): Promise<Found> {
  const selection = fresh();
  const rows = await reader.all<{ id: string }>(`SELECT id FROM (${selection.sqlFrom(few)}) AS found ORDER BY seq DESC`, selection.params);
  return { ids: rows.slice(offset, offset + limit).map(({ id }) => id), total: rows.length };
}

/** One statement that finds the page and counts; another one if the page is empty. */
async function together({ ctx: { reader }, fresh }: IndexedSearch, { offset, limit }: Window, sqlOf: (selection: Selection) => string): Promise<Found> {
  const selection = fresh();
  const page = `SELECT id, COUNT(*) OVER () AS n FROM (${sqlOf(selection)}) AS found ORDER BY seq DESC LIMIT ${selection.param(limit)} OFFSET ${selection.param(offset)}`;
  const rows = limit === 0 ? [] : await reader.all<{ id: string; n: number | string }>(plannedAnew(page), selection.params);
  if (rows[0]) return { ids: rows.map(({ id }) => id), total: Number(rows[0].n) };
  return { ids: [], total: limit > 0 && offset === 0 ? 0 : await countOf(reader, fresh(), sqlOf) };
}

async function countOf(reader: Reader, selection: Selection, sqlOf: (selection: Selection) => string): Promise<number> {
  const sql = `SELECT COUNT(*) AS n FROM (${sqlOf(selection)}) AS found`;
  return Number((await reader.get<{ n: number | string }>(plannedAnew(sql), selection.params))?.n ?? 0);
}

interface Looked {
  readonly id: string | null;
  readonly seq: number | string | null;
  readonly n: number | string;
}

/** A part of the caller's own objects: those of it that have all terms, newest first, or only their number. */
interface Part {
  readonly count: number;
  readonly ids: readonly string[];
  /** Number of all objects of the part, and `seq` of its last one. */
  readonly looked: number;
  readonly end: number;
}

/** For terms that many objects have: looks at the newest. @returns undefined if too few of these have all terms */
async function walk(search: IndexedSearch, { offset, limit }: Window): Promise<Found | undefined> {
  const { ctx, bounds } = search;
  const ids: string[] = [];
  let total = 0;
  let before = Number.MAX_SAFE_INTEGER;
  for (let looked = 0; ; ) {
    // What comes before the page, or after it, is only counted.
    const part = total + bounds.together <= offset || total >= offset + limit ? await countPart(search, before) : await readPart(search, before);
    ids.push(...part.ids.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total)));
    total += part.count;
    const page = { ids, total };
    if (part.looked < bounds.together) return page;
    looked += part.looked;
    before = part.end;
    const isFull = total >= offset + limit;
    if (isFull && looked >= bounds.walkedToCount) return { ids, total: undefined };
    const isFar = offset + limit > bounds.walked && (looked * (offset + limit)) / total <= bounds.walkedFar;
    if (!isFull && looked >= bounds.walked && !isFar) return undefined;
    // Lets other work on this thread run; a transaction must not wait here.
    if (ctx.reader === ctx.server.store) await setImmediate();
  }
}

async function readPart({ ctx, fresh, bounds }: IndexedSearch, before: number): Promise<Part> {
  const selection = fresh();
  const place = selection.param(before);
  const rows = await ctx.reader.all<Looked>(selection.sqlOfWalk(place, bounds.together), selection.params);
  const end = rows.find(({ id }) => id === null);
  const found = rows.filter(({ id }) => id !== null).sort((one, other) => Number(other.seq) - Number(one.seq));
  return { count: found.length, ids: found.map(({ id }) => id as string), looked: Number(end?.n ?? 0), end: Number(end?.seq) };
}

async function countPart({ ctx, fresh, bounds }: IndexedSearch, before: number): Promise<Part> {
  const selection = fresh();
  const place = selection.param(before);
  const row = await ctx.reader.get<Omit<Looked, 'id'> & { found: number | string }>(selection.sqlOfCount(place, bounds.together), selection.params);
  return { count: Number(row?.found ?? 0), ids: [], looked: Number(row?.n ?? 0), end: Number(row?.seq) };
}
