// Makes the store ready before any actor opens it: where it is, which node this is, migrations, and the server's own keys.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationSets } from './catalog/migrations.ts';
import type { Clock } from './clock.ts';
import { ConfigError } from './config/load.ts';
import type { Configured } from './configure.ts';
import { DATA_KEYS, type DataKeyPurpose, dataKeyRows } from './data-key-row.ts';
import type { KeyEncryptionKey } from './key-encryption-key.ts';
import { keyServerKey, requireWrappedBy } from './key-server-key.ts';
import { KeyServerSeal } from './key-server-seal.ts';
import { type Keyring, openKeyring } from './keyring.ts';
import type { Log } from './log-entry.ts';
import { writePrivateFile } from './private-file.ts';
import { rotateKek } from './rotate-kek.ts';
import { migrate } from './store/migrate.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';

export interface Prepared {
  readonly keyring: Keyring;
  /** Opens the data key of the key server. */
  readonly seal: KeyServerSeal;
  /** What the operator has to know. */
  readonly announcements: readonly string[];
}

/** Migrations and the server's own keys, on a connection that is closed before any actor opens its own. */
export async function prepareStore(
  { config, catalog, rotateKek: isRotation, newRootKey, log }: Configured & { readonly log: Log },
  url: string,
  node: string,
  dataDir: string,
  clock: Clock,
  keyEncryptionKey?: KeyEncryptionKey,
): Promise<Prepared> {
  const now = () => clock.now();
  const store = await openStore(url, { writer: `${node}/kernel`, clock });
  try {
    await migrate(store, migrationSets(catalog.plugins), now);
    const source = { dataDir, configured: config.store.root_key, next: newRootKey };
    requireWrappedBy(keyEncryptionKey?.id, await dataKeyRows(store));
    const withStore = <T>(work: (own: Store) => Promise<T>) => onOwnStore(url, node, clock, work);
    const purposes = keyEncryptionKey ? DATA_KEYS.filter((purpose) => purpose !== 'keys') : DATA_KEYS;
    const open = () => openKeyring(store, source, now, { purposes, reread: () => withStore(dataKeyRows) });
    let keyring = await open();
    const announcements = isRotation ? [await rotateKek(store, source)] : [];
    if (isRotation) keyring = await open();
    const key = keyEncryptionKey ? keyServerKey(keyEncryptionKey, { withStore, now }) : { openedBy: 'root key', open: () => keyring.dataKey('keys') };
    return { keyring, seal: new KeyServerSeal({ key, clock, log }), announcements };
  } finally {
    await store.close();
  }
}

/** A connection for what happens later and seldom: a thread starts again and another node has changed the root key, or the data key of the key server is made. */
async function onOwnStore<T>(url: string, node: string, clock: Clock, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url, { writer: `${node}/kernel`, clock });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The actors that know the rows of these purposes have started: what was there before them is authenticated. */
export async function settleRows({ keyring }: Prepared, purposes: readonly DataKeyPurpose[], url: string, node: string, clock: Clock): Promise<void> {
  if (!purposes.some((purpose) => keyring.adopts(purpose))) return;
  await onOwnStore(url, node, clock, (store) => keyring.settle(store, purposes));
}

/** @param url as configured @returns with the file of SQLite as an absolute path */
export function storeUrl(url: string, dataDir: string): string {
  if (url.startsWith('sqlite:')) return `sqlite:${join(dataDir, url.slice('sqlite:'.length))}`;
  if (/^postgres(ql)?:/.test(url)) return url;
  throw new ConfigError(['store.url: must begin with sqlite: or postgres://']);
}

/** Names this node among those that share a database; made once. */
export function nodeName(dataDir: string): string {
  const path = join(dataDir, 'node');
  if (!existsSync(path)) writePrivateFile(path, `${randomUUID()}\n`);
  return readFileSync(path, 'utf8').trim();
}
