// The server's own keys: the data keys in the database, wrapped by the root key, and the change of the root key that wraps them.
import { createHmac, randomFillSync, timingSafeEqual } from 'node:crypto';
import { ConfigError } from './config/load.ts';
import {
  firstRootKey,
  keptRootKeyPath,
  parseRootKey,
  type RootKey,
  type RootKeySource,
  randomRootKey,
  rootKeyPath,
  rootKeys,
  settleRootKeyFiles,
  writeNextRootKey,
} from './root-key.ts';
import { seal, unseal } from './seal.ts';
import type { Reader, Store, Transaction } from './store/store.ts';

/** `auth` wraps TOTP secrets and signing keys, `keys` the objects of the key server. */
const DATA_KEYS = ['auth', 'keys'] as const;
export type DataKeyPurpose = (typeof DATA_KEYS)[number];

const KEY_BYTES = 32;
const CHECK_BYTES = 8;
const LOCK = 'gatehouse first start';

/** A data key as stored: wrapped, with a value that tells whether it was opened rightly. */
export interface DataKeyRow {
  readonly purpose: string;
  readonly wrapped: Uint8Array;
  readonly check_value: Uint8Array;
}

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

interface OpenedKey {
  readonly bytes: Uint8Array;
  /** All rows that it vouches for have a MAC; told by what it was wrapped for, so that nobody without the root key can take it back. */
  readonly isSettled: boolean;
}

interface OpenedKeys {
  /** The one that opened them, its bytes overwritten once the keys are dealt with. */
  readonly root: RootKey;
  readonly keys: Map<string, OpenedKey>;
}

/**
 * Makes the data keys and the root key on the first start of all nodes, and sees that the root key opens them. What an interrupted rotation left is settled.
 * @param reread the stored data keys as they are later: the root key of a running node may be replaced by that of a rotation
 * @throws ConfigError when the root key is missing, malformed, or does not open the stored data keys; a second one is never made
 */
export async function openKeyring(store: Store, source: RootKeySource, now: () => number, reread?: () => Promise<DataKeyRow[]>): Promise<Keyring> {
  const opened = await store.transaction((tx) => openOrMake(tx, source, now()), { lock: LOCK });
  settleRootKeyFiles(source, opened.root);
  let { rows } = opened;
  let settled = opened.settled;
  return {
    adopts: (purpose) => !settled.has(purpose),
    async dataKey(purpose) {
      const own = rows.filter((row) => row.purpose === purpose);
      const { root, keys } = openDataKeys(source, own) ?? openStored(source, (await reread?.())?.filter((row) => row.purpose === purpose) ?? own);
      root.bytes.fill(0);
      return (keys.get(purpose) as OpenedKey).bytes;
    },
    async settle(target, purposes) {
      if (purposes.every((purpose) => settled.has(purpose))) return;
      await target.transaction((tx) => settleRows(tx, source, purposes), { lock: LOCK });
      settled = settled.union(new Set(purposes));
      rows = await dataKeyRows(target);
    },
  };
}

async function openOrMake(tx: Transaction, source: RootKeySource, now: number) {
  const stored = await dataKeyRows(tx);
  const { root, keys } = stored.length === 0 ? { root: firstRootKey(source), keys: new Map<string, OpenedKey>() } : openStored(source, stored);
  for (const purpose of DATA_KEYS) {
    if (keys.has(purpose)) continue;
    const bytes = randomFillSync(new Uint8Array(KEY_BYTES));
    keys.set(purpose, { bytes, isSettled: true });
    const wrapped = seal(root.bytes, aad(purpose, true), bytes);
    await tx.run('INSERT INTO data_key (purpose, wrapped, check_value, created_at) VALUES ($1, $2, $3, $4)', [purpose, wrapped, checkValue(bytes), now]);
  }
  overwrite({ root, keys });
  const settled: ReadonlySet<string> = new Set([...keys].flatMap(([purpose, { isSettled }]) => (isSettled ? [purpose] : [])));
  return { root, settled, rows: await dataKeyRows(tx) };
}

async function settleRows(tx: Transaction, source: RootKeySource, purposes: readonly string[]): Promise<void> {
  const { root, keys } = openStored(source, await dataKeyRows(tx));
  for (const [purpose, { bytes, isSettled }] of keys) {
    if (isSettled || !purposes.includes(purpose)) continue;
    await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, seal(root.bytes, aad(purpose, true), bytes)]);
    await tx.audit({ event: 'server.rows_authenticated', outcome: 'success', target: purpose });
  }
  overwrite({ root, keys });
}

/** What was opened is not needed any more. */
export function overwrite({ root, keys }: OpenedKeys): void {
  root.bytes.fill(0);
  for (const { bytes } of keys.values()) bytes.fill(0);
}

/**
 * Wraps the data keys by another root key, which is `source.next`, or a random one in the place of the file `root.key`. The data keys stay: nodes
 * that run hold them and notice nothing. A crash at any moment leaves a root key that opens the database at the next start.
 * @returns what the operator has to know
 * @throws ConfigError when a root key is configured and no new one given, or the one in use does not open the data keys
 */
export async function rotateKek(store: Store, source: RootKeySource): Promise<string> {
  const { dataDir, configured } = source;
  if (configured !== '' && source.next === undefined)
    throw new ConfigError(['--rotate-kek: store.root_key is configured, so --new-root-key has to name the new one']);
  const text = source.next ?? randomRootKey();
  const next = { ...parseRootKey(text, '--new-root-key'), isNext: true };
  const replaced = await store.transaction(
    async (tx) => {
      const opened = openStored(source, await dataKeyRows(tx));
      const { root, keys } = opened;
      if (root.id !== next.id && configured === '') writeNextRootKey(dataDir, text);
      if (root.id !== next.id)
        for (const [purpose, { bytes, isSettled }] of keys)
          await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, seal(next.bytes, aad(purpose, isSettled), bytes)]);
      overwrite(opened);
      if (root.id === next.id) return undefined;
      await tx.audit({ event: 'server.rotate_kek', outcome: 'success', target: next.id, reason: `replaces ${root.id}` });
      return root.id;
    },
    { lock: LOCK },
  );
  next.bytes.fill(0);
  if (replaced === undefined) return `--rotate-kek: the data keys were wrapped by the root key ${next.id} already`;
  settleRootKeyFiles(source, next);
  const told = `--rotate-kek: the data keys are wrapped by the root key ${next.id}`;
  if (configured !== '') return `${told}: make it [store] root_key before the next start of any node, and keep ${replaced} for the backups made before`;
  return `${told} in ${rootKeyPath(dataDir)}: back it up; ${keptRootKeyPath(dataDir, replaced)} is for the backups made before`;
}

/** The data keys and the root key that opens all of them, or undefined. @throws ConfigError for a root key that is malformed */
export function openDataKeys(source: RootKeySource, rows: readonly DataKeyRow[]): OpenedKeys | undefined {
  for (const root of rootKeys(source)) {
    const keys = new Map<string, OpenedKey>();
    for (const row of rows) {
      const key = openRow(root, row);
      if (key) keys.set(row.purpose, key);
    }
    if (keys.size === rows.length) return { root, keys };
    overwrite({ root, keys });
  }
  return undefined;
}

function openStored(source: RootKeySource, rows: readonly DataKeyRow[]): OpenedKeys {
  const opened = openDataKeys(source, rows);
  if (opened) return opened;
  const path = rootKeyPath(source.dataDir);
  if (rootKeys(source).next().done)
    throw new ConfigError([`${path} is missing, but the database has data keys wrapped by it: put it back (a new one would not open them)`]);
  const purposes = rows.map(({ purpose }) => `"${purpose}"`).join(', ');
  throw new ConfigError([
    `store.root_key: this root key does not open the data keys ${purposes} of the database; use the root key that the database was made with, or that the last --rotate-kek made`,
  ]);
}

function openRow(root: RootKey, { purpose, wrapped, check_value: expected }: DataKeyRow): OpenedKey | undefined {
  for (const isSettled of [true, false]) {
    const bytes = unseal(root.bytes, aad(purpose, isSettled), wrapped);
    if (bytes && expected.length === CHECK_BYTES && timingSafeEqual(checkValue(bytes), expected)) return { bytes, isSettled };
  }
  return undefined;
}

/** The stored data keys; the columns are those of every version. */
export function dataKeyRows(from: Pick<Reader, 'all'>): Promise<DataKeyRow[]> {
  return from.all<DataKeyRow>('SELECT purpose, wrapped, check_value FROM data_key');
}

function aad(purpose: string, isSettled: boolean): string {
  return isSettled ? `gatehouse data key ${purpose}, rows authenticated` : `gatehouse data key ${purpose}`;
}

function checkValue(key: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', key).update('gatehouse check value').digest().subarray(0, CHECK_BYTES));
}
