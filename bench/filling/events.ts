// Fills the audit log: rows of one stream, chained as the server chains them, of the months before now, and on PostgreSQL copies of these.
import { randomUUID } from 'node:crypto';
import { createAuditWriter } from '../../kernel/store/audit.ts';
import type { Store } from '../../kernel/store/store.ts';
import { Bulk } from './bulk.ts';
import { FILL_REALM, FIRST_USER } from './people.ts';

const STREAM = 'filled';
const AT_ONCE = 5_000;
/** PostgreSQL copies these by itself into as many rows as are wanted, in streams whose chains do not verify: no list looks at them. */
const CHAINED = 1_000_000;
const COPIED_AT_ONCE = 2_000;
const MOST_COPIES = 1_000;
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
  const chained = Number((await store.get<{ n: number | null }>('SELECT MAX(seq) AS n FROM audit WHERE stream = $1', [STREAM]))?.n ?? 0);
  return chained + (store.dialect === 'postgres' ? Number((await copied(store, MOST_COPIES))?.n) : 0);
}

export async function fillEvents(store: Store, from: number, to: number, onDone: (there: number) => boolean): Promise<void> {
  const chained = store.dialect === 'postgres' ? Math.min(to, CHAINED) : to;
  let isGoingOn = true;
  const tell = (there: number) => {
    isGoingOn = onDone(there);
    return isGoingOn;
  };
  if (from < chained) await chainEvents(store, from, chained, tell);
  if (isGoingOn && to > chained) await copyEvents(store, to, tell);
}

async function chainEvents(store: Store, from: number, to: number, onDone: (there: number) => boolean): Promise<void> {
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

/** @returns how many rows the first streams of copies have, and up to which row of the chain all of them have copied */
function copied(store: Store, copies: number) {
  const last = `SELECT COALESCE(MAX(seq), 0) AS last FROM audit WHERE stream = '${STREAM} ' || copy`;
  return store.get<{ n: number; least: number }>(
    `SELECT COALESCE(SUM(last), 0) AS n, MIN(last) AS least FROM generate_series(1, $1::int) AS copy CROSS JOIN LATERAL (${last}) AS of_copy`,
    [copies],
  );
}

/** Each row of the chain comes again in each stream of copies, a little later than in the one before, so that all lie in the order of time. */
async function copyEvents(store: Store, to: number, onDone: (there: number) => boolean): Promise<void> {
  const copies = Math.min(MOST_COPIES, Math.ceil((to - CHAINED) / CHAINED));
  const stepMs = Math.floor((DAYS * DAY_MS) / CHAINED / (copies + 1));
  const same = ['realm', 'actor', 'scheme', 'source', 'event', 'outcome', 'prev'].join(', ');
  const sql = `INSERT INTO audit (stream, seq, time, target, ${same})
    SELECT stream || ' ' || copy, seq, time + copy * $1::bigint, gen_random_uuid()::text, ${same} FROM audit, generate_series(1, $2::int) AS copy
    WHERE stream = '${STREAM}' AND seq > $3 AND seq <= $4 AND (copy - 1) * ${CHAINED}::bigint + seq <= $5 ORDER BY seq, copy ON CONFLICT DO NOTHING`;
  // The last stream may be shorter than the chain.
  for (let at = copies > 1 ? Number((await copied(store, copies - 1))?.least) : 0; at < CHAINED; at += COPIED_AT_ONCE) {
    await store.transaction((tx) => tx.run(sql, [stepMs, copies, at, at + COPIED_AT_ONCE, to - CHAINED]));
    if (!onDone(Math.min(to, CHAINED + (at + COPIED_AT_ONCE) * copies))) return;
  }
}
