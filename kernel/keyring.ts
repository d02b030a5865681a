// The server's own keys: the data keys in the database, wrapped by the root key, and the change of the root key that wraps them.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
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
import type { Reader, Store } from './store/store.ts';

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

export interface Keyring {
  /** A copy for the thread that has work to do with it; the caller overwrites it after use. */
  dataKey(purpose: DataKeyPurpose): Uint8Array;
}

interface OpenedKeys {
  /** The one that opened them, its bytes overwritten. */
  readonly root: RootKey;
  readonly keys: Map<string, Uint8Array>;
}

/**
 * Opens the data keys, making them and the root key on the first start of all nodes. What an interrupted rotation left is settled.
 * @throws ConfigError when the root key is missing, malformed, or does not open the stored data keys; a second one is never made
 */
export async function openKeyring(store: Store, source: RootKeySource, now: () => number): Promise<Keyring> {
  const { keys, root } = await store.transaction(
    async (tx) => {
      const rows = await dataKeyRows(tx);
      const opened = rows.length === 0 ? { root: firstRootKey(source), keys: new Map<string, Uint8Array>() } : openStored(source, rows);
      for (const purpose of DATA_KEYS) {
        if (opened.keys.has(purpose)) continue;
        const key = new Uint8Array(randomBytes(KEY_BYTES));
        opened.keys.set(purpose, key);
        const wrapped = seal(opened.root.bytes, aad(purpose), key);
        await tx.run('INSERT INTO data_key (purpose, wrapped, check_value, created_at) VALUES ($1, $2, $3, $4)', [purpose, wrapped, checkValue(key), now()]);
      }
      opened.root.bytes.fill(0);
      return opened;
    },
    { lock: LOCK },
  );
  settleRootKeyFiles(source, root);
  return { dataKey: (purpose) => new Uint8Array(keys.get(purpose) as Uint8Array) };
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
      const { root, keys } = openStored(source, await dataKeyRows(tx));
      root.bytes.fill(0);
      if (root.id === next.id) return undefined;
      if (configured === '') writeNextRootKey(dataDir, text);
      for (const [purpose, key] of keys) {
        await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, seal(next.bytes, aad(purpose), key)]);
        key.fill(0);
      }
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

/** The data keys and the root key that opens them, or undefined. @throws ConfigError for a root key that is malformed */
export function openDataKeys(source: RootKeySource, rows: readonly DataKeyRow[]): OpenedKeys | undefined {
  for (const root of rootKeys(source)) {
    const keys = new Map<string, Uint8Array>();
    for (const row of rows) {
      const key = openRow(root, row);
      if (key) keys.set(row.purpose, key);
    }
    if (keys.size === rows.length) return { root, keys };
    root.bytes.fill(0);
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

function openRow(root: RootKey, { purpose, wrapped, check_value: expected }: DataKeyRow): Uint8Array | undefined {
  const key = unseal(root.bytes, aad(purpose), wrapped);
  return key && expected.length === CHECK_BYTES && timingSafeEqual(checkValue(key), expected) ? key : undefined;
}

function dataKeyRows(from: Reader): Promise<DataKeyRow[]> {
  return from.all<DataKeyRow>('SELECT purpose, wrapped, check_value FROM data_key');
}

function aad(purpose: string): string {
  return `gatehouse data key ${purpose}`;
}

function checkValue(key: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', key).update('gatehouse check value').digest().subarray(0, CHECK_BYTES));
}
