// Reads the events of the audit log page by page, from its beginning or its end, and then those that are added, also between others.
import type { Client } from '../../client/client.ts';

export interface EventFilter {
  readonly realm?: string | undefined;
  readonly event?: string | undefined;
  readonly actor?: string | undefined;
}

export type Event = Readonly<Record<string, unknown>>;

/** How to go on at the end of the log. */
export interface Following {
  /** Until the end is read again. */
  wait(): Promise<unknown>;
  /** Milliseconds. */
  monotonic(): number;
}

/** A page that was read: the cursor before it, since when that is known, and its events. */
interface Part {
  readonly after: string | undefined;
  readonly since: number;
  readonly ids: ReadonlySet<string>;
}

export const PAGE = 1_000;
/** Events from the end that are read again at least. */
const OVERLAP = 100;
/** What is before a cursor that is known for so long is complete: threads write side by side, and clocks of nodes differ by seconds, so that a row may come with an earlier time than others have. */
const SETTLED_MS = 15_000;

const idOf = (event: Event): string => `${event['stream']} ${event['seq']}`;

/** Oldest first. @param limit of a page @param following undefined to stop at the end */
export async function* events(client: Client, filter: EventFilter, limit: number, following: Following | undefined): AsyncGenerator<Event> {
  if (following) yield* follow(client, filter, limit, following, []);
  else for await (const page of pages(client, { ...filter, limit }, undefined)) yield* page.events;
}

/** The last `count` events, oldest first, and then those that are added. @param following undefined to stop there */
export async function* newest(client: Client, filter: EventFilter, count: number, following: Following | undefined): AsyncGenerator<Event> {
  const most = following ? Math.max(count, OVERLAP) : count;
  const found: Event[] = [];
  let before: string | null = null;
  for await (const page of pages(client, { ...filter, order: 'newest', limit: Math.min(PAGE, most) }, undefined)) {
    found.push(...page.events);
    before = page.next;
    if (found.length >= most) break;
  }
  yield* found.slice(0, count).reverse();
  if (!following) return;
  // A cursor is a place in the log, whichever way it is read.
  const part: Part = { after: before ?? undefined, since: following.monotonic(), ids: new Set(found.map(idOf)) };
  yield* follow(client, filter, PAGE, following, [part]);
}

/** @param parts that were read, without a gap: the first of them is read again, and all after it */
async function* follow(client: Client, filter: EventFilter, limit: number, following: Following, parts: readonly Part[]): AsyncGenerator<Event> {
  for (let known = parts; ; await following.wait()) {
    const seen = new Set(known.flatMap(({ ids }) => [...ids]));
    const since = new Map(known.map((part) => [part.after, part.since]));
    const read: Part[] = [];
    let after = known[0]?.after;
    for await (const page of pages(client, { ...filter, limit }, after)) {
      read.push({ after, since: since.get(after) ?? following.monotonic(), ids: new Set(page.events.map(idOf)) });
      while (read[1] && following.monotonic() - read[1].since >= SETTLED_MS) read.shift();
      yield* page.events.filter((each) => !seen.has(idOf(each)));
      after = page.next ?? undefined;
    }
    known = read;
  }
}

interface AuditPage {
  readonly events: readonly Event[];
  readonly next: string | null;
}

interface PageQuery extends EventFilter {
  readonly limit: number;
  readonly order?: 'newest';
}

async function* pages(client: Client, query: PageQuery, from: string | undefined): AsyncGenerator<AuditPage> {
  for (let after = from; ; ) {
    const page: AuditPage = await client.call('GET /audit', { query: { ...query, after } });
    yield page;
    if (page.next === null) return;
    after = page.next;
  }
}
