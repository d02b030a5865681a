// Brings a store to given numbers of rows of each kind. What is there counts, so that a run that was interrupted goes on.
import type { Clock } from '../../kernel/clock.ts';
import { DataKey } from '../../kernel/keys/data-key.ts';
import { openKeyring } from '../../kernel/keys/keyring.ts';
import { accountOf } from '../../kernel/store/accounts.ts';
import { openStore } from '../../kernel/store/open.ts';
import type { Store } from '../../kernel/store/store.ts';
import { countEvents, fillEvents } from './events.ts';
import { fillObjects } from './objects.ts';
import { FILL_REALM, fillAdmins, fillMachines, fillSessions, fillUsers, makeRealm } from './people.ts';

/** How many rows there are to be. */
export interface Sizes {
  readonly objects: number;
  readonly users: number;
  readonly sessions: number;
  /** Secret ids, and as many app tokens. */
  readonly machines: number;
  readonly admins: number;
  readonly audit: number;
}
export type Kind = keyof Sizes;
export const KINDS: readonly Kind[] = ['users', 'admins', 'sessions', 'machines', 'objects', 'audit'];

export interface Place {
  readonly url: string;
  /** Has the root key, unless `rootKey` is given. */
  readonly dataDir: string;
  readonly rootKey: string;
}

export class UnfitStore extends Error {}

const CLOCK: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (run, ms) => ({ run, dueAt: 0, handle: setTimeout(run, ms) }),
  clearTimeout: ({ handle }) => clearTimeout(handle),
};

/**
 * @param onDone told after each batch how many rows of a kind are there; false ends the run after it
 * @returns how many rows of each kind there are: a kept store may have more than was asked for
 * @throws UnfitStore for a store that no server has been started with
 */
export async function fill({ url, dataDir, rootKey }: Place, sizes: Sizes, onDone: (kind: Kind, there: number) => boolean): Promise<Sizes> {
  const found: Record<Kind, number> = { ...sizes };
  const store = await openStore(url, { writer: 'filling', clock: CLOCK });
  try {
    const owner = await accountOf(store, '_/admin').catch(() => undefined);
    if (owner === undefined) throw new UnfitStore('start a server with this store once: it makes the tables, the keys and the administrator');
    const dataKey = await keyOf(store, dataDir, rootKey);
    await makeRealm(store);
    for (const kind of KINDS) {
      const there = await countOf(store, kind);
      found[kind] = there;
      let isGoingOn = true;
      const tell = (now: number) => {
        found[kind] = now;
        isGoingOn = onDone(kind, now);
        return isGoingOn;
      };
      if (there < sizes[kind]) await FILL[kind]({ store, dataKey, owner, now: CLOCK.now }, there, sizes[kind], tell);
      if (!isGoingOn) return found;
    }
    await store.transaction((tx) => tx.exec('ANALYZE'));
    return found;
  } finally {
    await store.close();
  }
}

type Parts = Parameters<typeof fillObjects>[0];
type Filler = (parts: Parts, from: number, to: number, tell: (there: number) => boolean) => Promise<void>;

const FILL: Readonly<Record<Kind, Filler>> = {
  users: ({ store }, ...rest) => fillUsers(store, ...rest),
  admins: ({ store }, ...rest) => fillAdmins(store, ...rest),
  sessions: ({ store }, ...rest) => fillSessions(store, ...rest),
  machines: ({ store }, ...rest) => fillMachines(store, ...rest),
  objects: fillObjects,
  audit: ({ store }, ...rest) => fillEvents(store, ...rest),
};

async function keyOf(store: Store, dataDir: string, rootKey: string): Promise<DataKey> {
  const keyring = await openKeyring(store, { dataDir, configured: rootKey }, CLOCK.now);
  return new DataKey('keys', await keyring.dataKey('keys'), CLOCK.now);
}

const amount = (table: string, kind: string, scope = '') => `SELECT SUM(amount) AS n FROM ${table} WHERE kind = '${kind}'${scope && ` AND scope = '${scope}'`}`;
const COUNT: Readonly<Record<Exclude<Kind, 'audit'>, string>> = {
  users: amount('auth_usage', 'credential', FILL_REALM),
  sessions: amount('auth_usage', 'session', FILL_REALM),
  admins: amount('auth_usage', 'admin', FILL_REALM),
  machines: amount('auth_usage', 'secret_id'),
  objects: `SELECT (${amount('kms_usage', 'object')}) - COALESCE((SELECT SUM(room) FROM kms_usage_room WHERE kind = 'object'), 0) AS n`,
};

async function countOf(store: Store, kind: Kind): Promise<number> {
  if (kind === 'audit') return countEvents(store);
  return Number((await store.get<{ n: number | null }>(COUNT[kind]))?.n ?? 0);
}
