// `--rotate-kek` with another key-encryption key configured: moves the data key of the key server to it, from and to plugins' keys and the root key.
import { ConfigError } from '../config/config-error.ts';
import { Fault } from '../fault.ts';
import type { Store, Transaction } from '../store/store.ts';
import { DATA_KEY_LOCK, type DataKeyRow, dataKeyRows, labelOf, type OpenedKey, pluginKeyIn } from './data-key-row.ts';
import type { KeyEncryptionKey } from './key-encryption-key.ts';
import { KEY_SERVER_PURPOSE, openWith, wrappedBy } from './key-server-key.ts';
import type { KeyServerKey } from './key-server-seal.ts';
import { openStored, overwrite } from './keyring.ts';
import type { RootKeySource } from './root-key.ts';

interface KekMove {
  /** Undefined: the root key. */
  readonly from: KeyEncryptionKey | undefined;
  /** Undefined: the root key. */
  readonly to: KeyEncryptionKey | undefined;
  readonly source: RootKeySource;
  /** Opens a connection for `work` and closes it afterwards. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** @param told the result, for the operator */
  onMoved(told: string): void;
}

/**
 * The first call that reaches both keys moves the data key in one transaction, so at every moment exactly one of them opens it. Until then the key
 * server is sealed. The data key itself does not change, so nodes that run are not affected.
 * @param key opens the data key after the move
 */
export function afterMove(key: KeyServerKey, move: KekMove): KeyServerKey {
  let isDone = false;
  let moving: Promise<void> | undefined;
  return {
    openedBy: key.openedBy,
    async open() {
      if (!isDone)
        moving ??= runMove(move).finally(() => {
          moving = undefined;
        });
      await moving;
      isDone = true;
      return key.open();
    },
  };
}

async function runMove({ from, to, source, withStore, onMoved }: KekMove): Promise<void> {
  const rows = await withStore(dataKeyRows);
  const row = rows.find(({ purpose }) => purpose === KEY_SERVER_PURPOSE);
  // Another node, or an earlier start that was killed, has done it.
  if (!row || pluginKeyIn(row)?.id === to?.id) return;
  const opened = from ? await openBy(from, row) : await openByRoot(source, rows);
  try {
    // Not in the transaction, because a call of the key may take long, and others would wait.
    const wrapped = to && (await wrappedBy(to, opened));
    const ids = await withStore((store) => store.transaction((tx) => replace(tx, { row, opened, wrapped, from, to, source }), { lock: DATA_KEY_LOCK }));
    onMoved(`--rotate-kek: the data key of the key server is now wrapped by ${ids.next}; keep ${ids.replaced} for earlier backups`);
  } finally {
    opened.bytes.fill(0);
  }
}

interface Replacement extends Pick<KekMove, 'from' | 'to' | 'source'> {
  /** As it was read. */
  readonly row: DataKeyRow;
  readonly opened: OpenedKey;
  /** By `to`; undefined if that is the root key. */
  readonly wrapped: Uint8Array | undefined;
}

async function replace(tx: Transaction, { row, opened, wrapped, from, to, source }: Replacement): Promise<{ next: string; replaced: string }> {
  const rows = await dataKeyRows(tx);
  const stored = rows.find(({ purpose }) => purpose === KEY_SERVER_PURPOSE);
  // The next attempt reads it again.
  if (!stored || !Buffer.from(stored.wrapped).equals(row.wrapped))
    throw new Fault('KEY_SERVER_SEALED', { detail: 'another node has wrapped the data key of the key server meanwhile' });
  const { root, ...others } = await openStored(source, rows);
  const bytes = wrapped ?? (await root.wrap(opened.bytes, labelOf(KEY_SERVER_PURPOSE, true)));
  const rootName = `the root key ${root.id}`;
  overwrite({ root, ...others });
  await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [KEY_SERVER_PURPOSE, bytes]);
  const ids = { next: to?.id ?? rootName, replaced: from?.id ?? rootName };
  await tx.audit({ event: 'server.rotate_kek', outcome: 'success', target: ids.next, reason: `replaces ${ids.replaced}` });
  return ids;
}

async function openBy(key: KeyEncryptionKey, row: DataKeyRow): Promise<OpenedKey> {
  const opened = await openWith(key, row);
  if (opened) return opened;
  throw new ConfigError([
    `--rotate-kek: the key-encryption key ${key.id} does not open the data key of the key server: the key was changed, or another key now has its name`,
  ]);
}

/** @throws ConfigError if there may be rows without MAC, which only a start with the root key authenticates */
async function openByRoot(source: RootKeySource, rows: readonly DataKeyRow[]): Promise<OpenedKey> {
  const { root, keys } = await openStored(source, rows);
  const opened = keys.get(KEY_SERVER_PURPOSE) as OpenedKey;
  keys.delete(KEY_SERVER_PURPOSE);
  overwrite({ root, keys });
  if (opened.isSettled) return opened;
  opened.bytes.fill(0);
  throw new ConfigError(['--rotate-kek: rows of the key server are not authenticated yet; start once with the root key, without key_encryption_key']);
}
