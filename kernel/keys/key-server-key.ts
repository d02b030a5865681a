// The data key of the key server when a plugin's key wraps it: made when that key is first reached, and opened for each thread that starts.
import { randomFillSync } from 'node:crypto';
import { ConfigError } from '../config/config-error.ts';
import type { Contexts } from '../context.ts';
import { Fault } from '../fault.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import {
  checkValue,
  DATA_KEY_BYTES,
  DATA_KEY_LOCK,
  type DataKeyRow,
  dataKeyRows,
  insertDataKey,
  labelOf,
  type OpenedKey,
  openRow,
  pluginKeyIn,
  withKeyName,
} from './data-key-row.ts';
import type { KeyEncryptionKey } from './key-encryption-key.ts';
import type { KeyServerKey } from './key-server-seal.ts';

export const KEY_SERVER_PURPOSE = 'keys';
const KEY_NAME = /^\P{Cc}{1,256}$/u;

interface KeyServerKeyOptions {
  /** Opens a connection for `work` and closes it afterwards. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  now(): number;
}

/** The key-encryption keys of plugins. */
export interface KeyEncryptionKeys {
  /** The configured one; undefined: the root key. */
  readonly current: KeyEncryptionKey | undefined;
  /** One that was configured earlier, for a move away from it. @throws ConfigError if no plugin reaches it any more */
  named(id: string): KeyEncryptionKey;
}

/** @throws ConfigError for a second configured key, or a malformed identifier */
export function keyEncryptionKeysOf(contexts: Contexts): KeyEncryptionKeys {
  return {
    current: configuredKey(contexts),
    named(id) {
      for (const [plugin, ctx] of contexts) {
        const key = plugin.keyEncryptionKey?.(ctx, id);
        if (key?.id === id) return key;
      }
      throw new ConfigError([
        `--rotate-kek: the data key of the key server is wrapped by the key-encryption key ${id}, which is not configured any more; keep what holds it configured until the rotation is done`,
      ]);
    },
  };
}

function configuredKey(contexts: Contexts): KeyEncryptionKey | undefined {
  const keys = [...contexts].flatMap(([plugin, ctx]) => {
    const key = plugin.keyEncryptionKey?.(ctx);
    return key ? [{ plugin: plugin.name, key }] : [];
  });
  const [first, second] = keys;
  if (second)
    throw new ConfigError([
      `plugin ${second.plugin}: the plugin ${first?.plugin} already provides the key-encryption key of the key server; only one plugin may do so`,
    ]);
  if (first && !KEY_NAME.test(first.key.id))
    throw new ConfigError([`plugin ${first.plugin}: the identifier of its key-encryption key must have 1 to 256 characters and no control characters`]);
  return first?.key;
}

/** @returns the key that wraps the stored data key, `id` undefined: the root key; undefined if there is no data key yet */
export function wrapperOf(rows: readonly DataKeyRow[]): { readonly id: string | undefined } | undefined {
  const row = rows.find(({ purpose }) => purpose === KEY_SERVER_PURPOSE);
  return row && { id: pluginKeyIn(row)?.id };
}

/**
 * Checks that the expected key has wrapped the data key, by the name stored with it. Called before anything is opened.
 * @param id identifier of the plugin's key-encryption key; undefined for the root key
 * @throws ConfigError if another key has wrapped it
 */
export function requireWrappedBy(id: string | undefined, rows: readonly DataKeyRow[]): void {
  const wrapper = wrapperOf(rows);
  if (!wrapper || wrapper.id === id) return;
  const wrapping = wrapper.id;
  if (wrapping !== undefined)
    throw new ConfigError([
      `the data key of the key server is wrapped by the key-encryption key ${wrapping}; configure that key${id ? ` instead of ${id}` : ''}, or start once with --rotate-kek to move it to ${id ?? 'the root key'}`,
    ]);
  throw new ConfigError([
    `the data key of the key server is wrapped by the root key; start without the key-encryption key ${id}, or once with --rotate-kek to move it there`,
  ]);
}

export function keyServerKey(key: KeyEncryptionKey, { withStore, now }: KeyServerKeyOptions): KeyServerKey {
  let known: DataKeyRow | undefined;
  return {
    openedBy: key.id,
    async open() {
      const row = known ?? (await withStore(madeIn)) ?? (await make(key, withStore, now()));
      const opened = await openWith(key, row);
      // After a failure the row is read again, because another node may have rewrapped the key.
      known = opened && row;
      if (opened) return opened.bytes;
      requireWrappedBy(key.id, [row]);
      throw new ConfigError([
        `the key-encryption key ${key.id} does not open the data key of the key server: the key was changed, or another key now has its name; restore the key that was used to create the database`,
      ]);
    },
  };
}

/** Of several nodes that start at the same moment, one has its key-encryption key make the key that wraps: a token could end with two of the name. */
const MAKING_LOCK = 'gatehouse making of the data key of the key server';

/** If another node has made a data key meanwhile, that one is used. */
function make(key: KeyEncryptionKey, withStore: KeyServerKeyOptions['withStore'], now: number): Promise<DataKeyRow> {
  return withStore(async (store) => {
    if (store.dialect === 'postgres') {
      // The first call may take long, and PostgreSQL ends a transaction that stands still for ten seconds.
      await reach(key.meet?.() ?? Promise.resolve());
      return store.transaction(async (tx) => (await madeIn(tx)) ?? insert(tx, await newRow(key), key.id, now), { lock: MAKING_LOCK });
    }
    // The only node. A transaction would make all who write wait for the key-encryption key.
    const row = await newRow(key);
    return store.transaction((tx) => insert(tx, row, key.id, now), { lock: DATA_KEY_LOCK });
  });
}

async function newRow(key: KeyEncryptionKey): Promise<DataKeyRow> {
  const dataKey = randomFillSync(new Uint8Array(DATA_KEY_BYTES));
  const check = checkValue(dataKey);
  const wrapped = await wrappedBy(key, { bytes: dataKey }).finally(() => dataKey.fill(0));
  return { purpose: KEY_SERVER_PURPOSE, wrapped, check_value: check };
}

/** @returns what a row stores, after a check that the key opens it again @throws Fault KEY_SERVER_SEALED, ConfigError */
export async function wrappedBy(key: KeyEncryptionKey, { bytes }: Pick<OpenedKey, 'bytes'>): Promise<Uint8Array> {
  const wrapped = withKeyName(key.id, await reach(key.wrap(bytes, labelOf(KEY_SERVER_PURPOSE, true))));
  const opened = await openWith(key, { purpose: KEY_SERVER_PURPOSE, wrapped, check_value: checkValue(bytes) });
  if (!opened) throw new ConfigError([`the key-encryption key ${key.id} cannot open what it has wrapped; use another key`]);
  opened.bytes.fill(0);
  return wrapped;
}

async function madeIn(store: Reader): Promise<DataKeyRow | undefined> {
  return (await dataKeyRows(store)).find(({ purpose }) => purpose === KEY_SERVER_PURPOSE);
}

async function insert(tx: Transaction, row: DataKeyRow, id: string, now: number): Promise<DataKeyRow> {
  const other = await madeIn(tx);
  if (other) return other;
  await insertDataKey(tx, row, now);
  await tx.audit({ event: 'server.data_key', outcome: 'success', target: row.purpose, reason: `wrapped by ${id}` });
  return row;
}

/** @returns undefined if another key has wrapped it @throws Fault KEY_SERVER_SEALED if the key cannot be reached */
export async function openWith(key: KeyEncryptionKey, row: DataKeyRow): Promise<OpenedKey | undefined> {
  const own = pluginKeyIn(row);
  return own?.id === key.id ? reach(openRow(key, { ...row, wrapped: own.wrapped })) : undefined;
}

/** @throws Fault KEY_SERVER_SEALED if the call fails, whatever the reason: the key cannot be reached */
async function reach<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw new Fault('KEY_SERVER_SEALED', { detail: cause instanceof Error ? cause.message : String(cause), cause });
  }
}
