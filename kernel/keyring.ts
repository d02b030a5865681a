// The server's own keys under the root key: data keys in the database, made once, opened for each thread that needs one.
import { randomFillSync } from 'node:crypto';
import { ConfigError } from './config/load.ts';
import {
  checkValue,
  DATA_KEY_BYTES,
  DATA_KEY_LOCK,
  DATA_KEYS,
  type DataKeyPurpose,
  type DataKeyRow,
  dataKeyRows,
  labelOf,
  type OpenedKey,
  openRow,
  pluginKeyIn,
} from './data-key-row.ts';
import { firstRootKey, type RootKey, type RootKeySource, rootKeyPath, rootKeys, settleRootKeyFiles } from './root-key.ts';
import type { Store, Transaction } from './store/store.ts';

/** Holds no data key: each is opened with the root key for the thread that starts and needs it. */
export interface Keyring {
  /**
   * Opened anew at each call; the caller hands it over or overwrites it.
   * @throws ConfigError when the root key is not there any more, or opens neither what was read at the start nor what is stored now
   */
  dataKey(purpose: DataKeyPurpose): Promise<Uint8Array>;
  /** Whether the store may hold rows from before those of this purpose were authenticated. */
  adopts(purpose: DataKeyPurpose): boolean;
  /** Notes, wrapped by the root key, that all rows of these purposes are authenticated: what has no MAC from now on is forged. */
  settle(store: Store, purposes: readonly DataKeyPurpose[]): Promise<void>;
}

interface OpenedKeys {
  /** The one that opened them, its bytes overwritten once the keys are dealt with. */
  readonly root: RootKey;
  readonly keys: Map<string, OpenedKey>;
}

interface KeyringOptions {
  /** The stored data keys as they are later: the root key of a running node may be replaced by that of a rotation. */
  reread?(): Promise<DataKeyRow[]>;
  /** What the root key wraps; by default everything. */
  readonly purposes?: readonly DataKeyPurpose[];
}

/**
 * Makes the data keys and the root key on the first start of all nodes, and sees that the root key opens them. What an interrupted rotation left is settled.
 * @throws ConfigError when the root key is missing, malformed, or does not open the stored data keys; a second one is never made
 */
export async function openKeyring(
  store: Store,
  source: RootKeySource,
  now: () => number,
  { reread, purposes: all = DATA_KEYS }: KeyringOptions = {},
): Promise<Keyring> {
  const opened = await store.transaction((tx) => openOrMake(tx, source, all, now()), { lock: DATA_KEY_LOCK });
  settleRootKeyFiles(source, opened.root);
  let { rows } = opened;
  let settled = opened.settled;
  return {
    adopts: (purpose) => all.includes(purpose) && !settled.has(purpose),
    async dataKey(purpose) {
      const own = rows.filter((row) => row.purpose === purpose);
      const { root, keys } =
        (await openDataKeys(source, own)) ?? (await openStored(source, (await reread?.())?.filter((row) => row.purpose === purpose) ?? own));
      root.forget();
      return (keys.get(purpose) as OpenedKey).bytes;
    },
    async settle(target, purposes) {
      if (purposes.every((purpose) => settled.has(purpose))) return;
      await target.transaction((tx) => settleRows(tx, source, purposes), { lock: DATA_KEY_LOCK });
      settled = settled.union(new Set(purposes));
      rows = await dataKeyRows(target);
    },
  };
}

async function openOrMake(tx: Transaction, source: RootKeySource, purposes: readonly string[], now: number) {
  const stored = await dataKeyRows(tx);
  const { root, keys } = stored.length === 0 ? { root: firstRootKey(source), keys: new Map<string, OpenedKey>() } : await openStored(source, stored);
  for (const purpose of purposes) {
    if (keys.has(purpose)) continue;
    const bytes = randomFillSync(new Uint8Array(DATA_KEY_BYTES));
    keys.set(purpose, { bytes, isSettled: true });
    const wrapped = await root.wrap(bytes, labelOf(purpose, true));
    await tx.run('INSERT INTO data_key (purpose, wrapped, check_value, created_at) VALUES ($1, $2, $3, $4)', [purpose, wrapped, checkValue(bytes), now]);
  }
  overwrite({ root, keys });
  const settled: ReadonlySet<string> = new Set([...keys].flatMap(([purpose, { isSettled }]) => (isSettled ? [purpose] : [])));
  return { root, settled, rows: await dataKeyRows(tx) };
}

async function settleRows(tx: Transaction, source: RootKeySource, purposes: readonly string[]): Promise<void> {
  const { root, keys } = await openStored(source, await dataKeyRows(tx));
  for (const [purpose, { bytes, isSettled }] of keys) {
    if (isSettled || !purposes.includes(purpose)) continue;
    await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, await root.wrap(bytes, labelOf(purpose, true))]);
    await tx.audit({ event: 'server.rows_authenticated', outcome: 'success', target: purpose });
  }
  overwrite({ root, keys });
}

/** What was opened is not needed any more. */
export function overwrite({ root, keys }: OpenedKeys): void {
  root.forget();
  for (const { bytes } of keys.values()) bytes.fill(0);
}

/**
 * The data keys that a root key wraps, and the root key that opens all of them. Those that a key of a plugin wraps are passed over.
 * @returns undefined where no root key opens all of them
 * @throws ConfigError for a root key that is malformed
 */
export async function openDataKeys(source: RootKeySource, stored: readonly DataKeyRow[]): Promise<OpenedKeys | undefined> {
  const rows = stored.filter((row) => !pluginKeyIn(row));
  for (const root of rootKeys(source)) {
    const keys = new Map<string, OpenedKey>();
    for (const row of rows) {
      const key = await openRow(root, row);
      if (key) keys.set(row.purpose, key);
    }
    if (keys.size === rows.length) return { root, keys };
    overwrite({ root, keys });
  }
  return undefined;
}

/** @throws ConfigError where there is no root key, or none that opens all of them */
export async function openStored(source: RootKeySource, rows: readonly DataKeyRow[]): Promise<OpenedKeys> {
  const opened = await openDataKeys(source, rows);
  if (opened) return opened;
  const path = rootKeyPath(source.dataDir);
  if (rootKeys(source).next().done)
    throw new ConfigError([`${path} is missing, but the database has data keys wrapped by it: put it back (a new one would not open them)`]);
  const purposes = rows.filter((row) => !pluginKeyIn(row)).map(({ purpose }) => `"${purpose}"`);
  throw new ConfigError([
    `store.root_key: this root key does not open the data keys ${purposes.join(', ')} of the database; use the root key that the database was made with, or that the last --rotate-kek made`,
  ]);
}
