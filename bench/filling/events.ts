// Fills the audit log: rows of one stream, chained as the server chains them, of the months before now.
import { randomUUID } from 'node:crypto';
import { createAuditWriter } from '../../kernel/store/audit.ts';
import type { Store } from '../../kernel/store/store.ts';
import { Bulk } from './bulk.ts';
import { FILL_REALM, FIRST_USER } from './people.ts';

const STREAM = 'filled';
const AT_ONCE = 5_000;
const DAYS = 300;
const DAY_MS = 86_400_000;
/** Names, how many rows of a hundred have each. The rare one is one row of 100 000. */
const EVENTS: readonly (readonly [string, number])[] = [
  ['login', 30],
  ['session.end', 10],
  ['key.create', 20],
  ['key.get', 25],
  ['approle.login', 10],
  ['credential.update', 5],
];
const OF_HUNDRED = EVENTS.flatMap(([name, share]) => Array.from({ length: share }, () => name));
export const RARE_EVENT = 'realm.delete';
/** Acts in each second row; its rows of the rare event are the hardest to find. */
export const BUSY_ACTOR = FIRST_USER;

/** @returns how many rows are there */
export async function countEvents(store: Store): Promise<number> {
  return Number((await store.get<{ n: number | null }>('SELECT MAX(seq) AS n FROM audit WHERE stream = $1', [STREAM]))?.n ?? 0);
}

export async function fillEvents(store: Store, from: number, to: number, onDone: (there: number) => boolean): Promise<void> {
  const begin = Date.now() - DAYS * DAY_MS;
  let at = from;
  const clock = { now: () => Math.floor(begin + (at / to) * DAYS * DAY_MS), monotonic: () => at * 1_000 };
  const writer = createAuditWriter(STREAM, clock);
  const bulk = new Bulk();
  // The first row of a run continues the chain of the run before.
  const tx = { ...bulk.tx, get: store.get };
  for (; at < to; ) {
    for (const end = Math.min(to, at + AT_ONCE); at < end; at++) {
      const isRare = at % 100_000 === 77_777;
      const actor = at % 2 === 0 ? BUSY_ACTOR : `user-${String((at * 7) % 100_000).padStart(8, '0')}`;
      await writer.write(tx, {
        event: isRare ? RARE_EVENT : (OF_HUNDRED[(at * 37) % 100] as string),
        outcome: at % 50 === 0 ? 'refused' : 'success',
        realm: at % 10 === 0 ? '_' : FILL_REALM,
        actor: isRare ? 'admin' : actor,
        scheme: 'up',
        source: `10.${(at >> 16) % 256}.${(at >> 8) % 256}.${at % 256}`,
        target: randomUUID(),
      });
    }
    await bulk.write(store);
    writer.settle();
    if (!onDone(at)) return;
  }
}
