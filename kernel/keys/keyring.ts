// The data keys of the server, wrapped by the root key: created once, stored in the database, and opened for each thread that needs one.
import { randomFillSync } from 'node:crypto';
import { ConfigError } from '../config/config-error.ts';
import type { Store, Transaction } from '../store/store.ts';
import {
  checkValue,
  DATA_KEY_BYTES,
  DATA_KEY_LOCK,
  DATA_KEYS,
  type DataKeyPurpose,
  type DataKeyRow,
  dataKeyRows,
  insertDataKey,
  labelOf,
  type OpenedKey,
  openRow,
  pluginKeyIn,
} from './data-key-row.ts';
import { firstRootKey, type RootKey, type RootKeySource, rootKeyPath, rootKeys, settleRootKeyFiles } from './root-key.ts';

/** Does not keep data keys in memory. Each is opened with the root key when a thread that needs it starts. */
export interface Keyring {
  /**
   * Opens a data key at each call; the caller moves it on or overwrites it.
   * @throws ConfigError if the root key no longer exists, or opens neither the rows read at the start nor those stored now
   */
  dataKey(purpose: DataKeyPurpose): Promise<Uint8Array>;
  /** Whether the store may hold rows of this purpose that are not authenticated yet. */
  adopts(purpose: DataKeyPurpose): boolean;
  /** Records, protected by the root key, that all rows of these purposes are authenticated. From then on a row without a MAC counts as forged. */
  settle(store: Store, purposes: readonly DataKeyPurpose[]): Promise<void>;
}

interface OpenedKeys {
  /** The root key that opened them. Its bytes are overwritten by `overwrite`. */
  readonly root: RootKey;
  readonly keys: Map<string, OpenedKey>;
}

interface KeyringOptions {
  /** Reads the stored data keys again, because a rotation may have replaced the root key while this node runs. */
  reread?(): Promise<DataKeyRow[]>;
  /** Purposes of the data keys that the root key wraps. Default: all. */
  readonly purposes?: readonly DataKeyPurpose[];
}

/**
 * Creates the data keys and the root key on the very first start, checks that the root key opens them, and finishes an interrupted rotation.
 * @throws ConfigError if the root key is missing, malformed, or does not open the stored data keys; then no new root key is created
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
      const own = rows.filter((row) => row.purpose === purpose && !pluginKeyIn(row));
      const { root, keys } =
        (own.length > 0 ? await openDataKeys(source, own) : undefined) ??
        (await openStored(source, (await reread?.())?.filter((row) => row.purpose === purpose) ?? own));
      root.forget();
      const opened = keys.get(purpose);
      if (opened) return opened.bytes;
      throw new ConfigError([`the data key "${purpose}" is wrapped by the root key no more: another node has moved it; configure the key that wraps it now`]);
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
    // A database that has other keys is older than the key for documents: what they say is in clear there.
    const isSettled = purpose !== 'documents' || stored.length === 0;
    keys.set(purpose, { bytes, isSettled });
    const wrapped = await root.wrap(bytes, labelOf(purpose, isSettled));
    await insertDataKey(tx, { purpose, wrapped, check_value: checkValue(bytes) }, now);
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

/** Overwrites opened keys and their root key after use. */
export function overwrite({ root, keys }: OpenedKeys): void {
  root.forget();
  for (const { bytes } of keys.values()) bytes.fill(0);
}

/**
 * Opens the stored data keys, except those that a plugin's key wraps.
 * @returns the data keys and the root key that opens all of them; undefined if no root key does
 * @throws ConfigError for a malformed root key
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

/** @throws ConfigError if there is no root key, or none that opens all of them */
export async function openStored(source: RootKeySource, rows: readonly DataKeyRow[]): Promise<OpenedKeys> {
  const opened = await openDataKeys(source, rows);
  if (opened) return opened;
  const path = rootKeyPath(source.dataDir);
  if (rootKeys(source).next().done)
    throw new ConfigError([`${path} is missing, but the database has data keys wrapped by it; restore this file, because a new root key would not open them`]);
  const purposes = rows.filter((row) => !pluginKeyIn(row)).map(({ purpose }) => `"${purpose}"`);
  throw new ConfigError([
    `store.root_key: this root key does not open the data keys ${purposes.join(', ')} of the database; use the root key with which the database was created, or the one that the last --rotate-kek created`,
  ]);
}
