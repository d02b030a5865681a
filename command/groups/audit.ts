// `gatehouse audit`: the audit log from its beginning or its end, filtered, and followed as it grows.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { command, flag, type Surroundings } from '../command.ts';
import { whole } from '../number.ts';
import { printable, printableJson } from '../printable.ts';

interface Filter {
  readonly realm?: string;
  readonly event?: string;
  readonly actor?: string;
  readonly limit?: string;
  readonly last?: string;
  readonly follow?: boolean;
  readonly interval?: string;
}

type Event = Readonly<Record<string, unknown>>;

const PAGE = 1_000;
/** Events from the end that are read again to find those that were added, also by other threads with an earlier time. */
const OVERLAP = 100;

export const audit = command<Filter>({
  name: 'audit',
  about: 'Print the audit log, oldest first; with --json one event a line',
  flags: [
    flag('--realm <realm>', 'only of this realm'),
    flag('--event <event>', 'only this event: login, Encrypt ...'),
    flag('--actor <actor>', 'only of this actor'),
    flag('--limit <number>', 'how many at most (default: all)'),
    flag('--last <number>', 'only so many from the end, without reading what is before them'),
    flag('--follow', 'go on and print what is added, until Ctrl-C'),
    flag('--interval <seconds>', 'how often to look for more (default: 2)'),
  ],
  example: 'gatehouse audit --realm team --event login --last 20 --follow',
  async run(given, _, { limit, last, follow, interval, ...filter }) {
    const most = whole('--limit', limit, 1) ?? Number.POSITIVE_INFINITY;
    const waitMs = (whole('--interval', interval, 1) ?? 2) * 1_000;
    const tail = whole('--last', last, 1);
    const repeatMs = follow ? waitMs : undefined;
    const found = tail === undefined ? events(given.client(), filter, Math.min(PAGE, most), repeatMs) : newest(given.client(), filter, tail, repeatMs);
    let printed = 0;
    for await (const event of found) {
      print(given, event);
      printed += 1;
      if (printed >= most) return;
    }
  },
});

/**
 * The log page by page. The last page has no cursor, so it is read again from its beginning: what was seen of it is left out.
 * @param limit rows of a page @param waitMs before the end is read again; undefined to stop there
 */
async function* events(client: Client, filter: Filter, limit: number, waitMs: number | undefined): AsyncGenerator<Event> {
  const { realm, event, actor } = filter;
  let after: string | undefined;
  let seen = new Set<string>();
  for (;;) {
    const page = await client.call('GET /audit', { query: { realm, event, actor, after, limit } });
    for (const each of page.events) {
      if (!seen.has(idOf(each))) yield each;
      seen.add(idOf(each));
    }
    if (page.next !== null) {
      after = page.next;
      seen = new Set();
    } else if (waitMs === undefined) return;
    else await sleep(waitMs);
  }
}

const idOf = (event: Event): string => `${event['stream']} ${event['seq']}`;

/** The end of the log, oldest first, and then what is added to it. @param waitMs before the end is read again; undefined to stop there */
async function* newest(client: Client, filter: Filter, count: number, waitMs: number | undefined): AsyncGenerator<Event> {
  let known = new Set<string>();
  for (let isFirst = true; ; isFirst = false) {
    // All that a next look will read again must be known.
    const most = waitMs === undefined ? count : Math.max(count, OVERLAP);
    const fresh = await endOf(client, filter, isFirst ? most : Number.POSITIVE_INFINITY, known);
    yield* isFirst ? fresh.slice(-count) : fresh;
    if (waitMs === undefined) return;
    known = new Set([...[...known].slice(-OVERLAP), ...fresh.map(idOf)]);
    await sleep(waitMs);
  }
}

/** @returns what is newer than the known events, at most `most`, oldest first */
async function endOf(client: Client, { realm, event, actor }: Filter, most: number, known: ReadonlySet<string>): Promise<Event[]> {
  const fresh: Event[] = [];
  let after: string | undefined;
  for (let isKnown = false; fresh.length < most && !isKnown; ) {
    const limit = known.size > 0 ? OVERLAP : Math.min(PAGE, most - fresh.length);
    const page = await client.call('GET /audit', { query: { realm, event, actor, after, limit, order: 'newest' } });
    fresh.push(...page.events.filter((each) => !known.has(idOf(each))));
    isKnown = page.events.some((each) => known.has(idOf(each)));
    if (page.next === null) break;
    after = page.next;
  }
  return fresh.reverse();
}

function print({ out, stdout }: Pick<Surroundings, 'out' | 'stdout'>, event: Event): void {
  if (out.isJson) return void stdout.write(`${printableJson(event).replaceAll(/\n */g, '')}\n`);
  const { time, realm, actor, source, event: name, target, outcome, reason } = event;
  // Owners of keys are named with their realm already.
  const who = actor === null ? '-' : realm === null || String(actor).includes('/') ? actor : `${realm}/${actor}`;
  const words = [new Date(Number(time)).toISOString(), outcome, name, who, source ?? '-', target ?? '', reason ?? ''];
  stdout.write(
    `${words
      .map((word) => printable(String(word)))
      .join('  ')
      .trimEnd()}\n`,
  );
}
