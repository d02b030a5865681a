// Makes the store ready before any actor opens it: where it is, which node this is, migrations, and the server's own keys.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationSets } from './catalog/migrations.ts';
import type { Clock } from './clock.ts';
import { ConfigError } from './config/load.ts';
import type { Configured } from './configure.ts';
import { type DataKeyPurpose, type DataKeyRow, dataKeyRows } from './data-key-row.ts';
import { type Keyring, openKeyring } from './keyring.ts';
import { writePrivateFile } from './private-file.ts';
import { rotateKek } from './rotate-kek.ts';
import { migrate } from './store/migrate.ts';
import { openStore } from './store/open.ts';

interface Prepared {
  readonly keyring: Keyring;
  /** What the operator has to know. */
  readonly announcements: readonly string[];
}

/** Migrations and the server's own keys, on a connection that is closed before any actor opens its own. */
export async function prepareStore(
  { config, catalog, rotateKek: isRotation, newRootKey }: Configured,
  url: string,
  node: string,
  dataDir: string,
  clock: Clock,
): Promise<Prepared> {
  const now = () => clock.now();
  const store = await openStore(url, { writer: `${node}/kernel`, clock });
  try {
    await migrate(store, migrationSets(catalog.plugins), now);
    const source = { dataDir, configured: config.store.root_key, next: newRootKey };
    const open = () => openKeyring(store, source, now, { reread: () => storedDataKeys(url, node, clock) });
    let keyring = await open();
    const announcements = isRotation ? [await rotateKek(store, source)] : [];
    if (isRotation) keyring = await open();
    return { keyring, announcements };
  } finally {
    await store.close();
  }
}

/** What a thread that starts again is given is opened from the store only where another node has changed the root key meanwhile. */
async function storedDataKeys(url: string, node: string, clock: Clock): Promise<DataKeyRow[]> {
  const store = await openStore(url, { writer: `${node}/kernel`, clock });
  try {
    return await dataKeyRows(store);
  } finally {
    await store.close();
  }
}

/** The actors that know the rows of these purposes have started: what was there before them is authenticated. */
export async function settleRows({ keyring }: Prepared, purposes: readonly DataKeyPurpose[], url: string, node: string, clock: Clock): Promise<void> {
  if (!purposes.some((purpose) => keyring.adopts(purpose))) return;
  const store = await openStore(url, { writer: `${node}/kernel`, clock });
  try {
    await keyring.settle(store, purposes);
  } finally {
    await store.close();
  }
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
