// `gatehouse audit`: the audit log from its beginning or its end, filtered, and followed as it grows.
import { setTimeout as sleep } from 'node:timers/promises';
import { command, flag, type Surroundings } from '../command.ts';
import { whole } from '../number.ts';
import { printable, printableJson } from '../printable.ts';
import { type Event, type EventFilter, events, newest, PAGE } from './audit-events.ts';

interface Filter extends EventFilter {
  readonly limit?: string;
  readonly last?: string;
  readonly follow?: boolean;
  readonly interval?: string;
}

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
    const following = follow ? { wait: () => sleep(waitMs), monotonic: () => performance.now() } : undefined;
    const found = tail === undefined ? events(given.client(), filter, Math.min(PAGE, most), following) : newest(given.client(), filter, tail, following);
    let printed = 0;
    for await (const event of found) {
      print(given, event);
      printed += 1;
      if (printed >= most) return;
    }
  },
});

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
