// `gatehouse audit`: the audit log from its beginning, filtered, and followed as it grows.
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
  readonly follow?: boolean;
  readonly interval?: string;
}

type Event = Readonly<Record<string, unknown>>;

const PAGE = 1_000;

export const audit = command<Filter>({
  name: 'audit',
  about: 'Print the audit log, oldest first; with --json one event a line',
  flags: [
    flag('--realm <realm>', 'only of this realm'),
    flag('--event <event>', 'only this event: login, Encrypt ...'),
    flag('--actor <actor>', 'only of this actor'),
    flag('--limit <number>', 'how many at most (default: all)'),
    flag('--follow', 'go on and print what is added, until Ctrl-C'),
    flag('--interval <seconds>', 'how often to look for more (default: 2)'),
  ],
  example: 'gatehouse audit --realm team --event login --follow',
  async run(given, _, { limit, follow, interval, ...filter }) {
    const most = whole('--limit', limit, 1) ?? Number.POSITIVE_INFINITY;
    const waitMs = (whole('--interval', interval, 1) ?? 2) * 1_000;
    let printed = 0;
    for await (const event of events(given.client(), filter, follow ? waitMs : undefined)) {
      print(given, event);
      printed += 1;
      if (printed >= most) return;
    }
  },
});

/**
 * The log page by page. The last page has no cursor, so it is read again from its beginning: what was seen of it is left out.
 * @param waitMs before the end is read again; undefined to stop there
 */
async function* events(client: Client, filter: Filter, waitMs: number | undefined): AsyncGenerator<Event> {
  const { realm, event, actor } = filter;
  let after: string | undefined;
  let seen = new Set<string>();
  for (;;) {
    const page = await client.call('GET /audit', { query: { realm, event, actor, after, limit: PAGE } });
    for (const each of page.events) {
      const id = `${each['stream']} ${each['seq']}`;
      if (!seen.has(id)) yield each;
      seen.add(id);
    }
    if (page.next !== null) {
      after = page.next;
      seen = new Set();
    } else if (waitMs === undefined) return;
    else await sleep(waitMs);
  }
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
