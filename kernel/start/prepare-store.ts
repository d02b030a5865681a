// Prepares the store before any actor opens it: its URL, the name of this node, migrations, and the keys of the server.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationSets } from '../catalog/migrations.ts';
import type { Clock } from '../clock.ts';
import { ConfigError } from '../config/config-error.ts';
import { writePrivateFile } from '../disk/private-file.ts';
import { DATA_KEYS, type DataKeyPurpose, type DataKeyRow, dataKeyRows } from '../keys/data-key-row.ts';
import { afterMove } from '../keys/kek-move.ts';
import { type KeyEncryptionKeys, keyServerKey, requireWrappedBy, wrapperOf } from '../keys/key-server-key.ts';
import { type KeyServerKey, KeyServerSeal } from '../keys/key-server-seal.ts';
import { type Keyring, openKeyring, openStored, overwrite } from '../keys/keyring.ts';
import { type RootKeySource, rootKeys } from '../keys/root-key.ts';
import { rotateKek } from '../keys/rotate-kek.ts';
import type { Log } from '../log/log-entry.ts';
import { migrate } from '../store/migrate.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { isMissingFile } from '../store/store-url.ts';
import type { Configured } from './configure.ts';

export interface Prepared {
  readonly keyring: Keyring;
  /** Opens the data key of the key server. */
  readonly seal: KeyServerSeal;
  /** Texts for the operator, for the start message. */
  readonly announcements: readonly string[];
}

/** Where the store is, and who opens it. */
interface StorePlace {
  readonly url: string;
  /** Name of this node. */
  readonly node: string;
  readonly clock: Clock;
}

interface Preparation extends Configured, StorePlace {
  readonly log: Log;
  readonly dataDir: string;
  readonly keyEncryptionKeys: KeyEncryptionKeys;
  /** What a first start refuses. */
  readonly ofFirstStart: readonly string[];
}

/**
 * Runs the migrations and opens the keys of the server, on a connection that is closed before any actor opens its own. A key that is none, or that does not open
 * what is there, is refused before the database is made or changed: an older version could not use it afterwards.
 */
export async function prepareStore(options: Preparation): Promise<Prepared> {
  const { config, catalog, rotateKek: isRotation, newRootKey, log, url, clock, dataDir, ofFirstStart } = options;
  const { current, named } = options.keyEncryptionKeys;
  const now = () => clock.now();
  const source = { dataDir, configured: config.store.root_key, next: newRootKey };
  for (const root of rootKeys(source)) root.forget();
  refuse(isMissingFile(url) ? ofFirstStart : []);
  const store = await openStore(url, writerOf(options));
  try {
    const moveIn = (rows: readonly DataKeyRow[]) => moveOf(rows, current?.id, { isRotation, newRootKey });
    await migrate(store, migrationSets(catalog.plugins), now, async (tables) => {
      refuse(tables.has('migration') ? [] : ofFirstStart);
      if (tables.has('data_key')) await requireKeys(await dataKeyRows(store), source, moveIn);
    });
    const { wrapper, isMove } = moveIn(await dataKeyRows(store));
    const withStore = <T>(work: (own: Store) => Promise<T>) => onOwnStore(options, work);
    const purposes = current || isMove ? DATA_KEYS.filter((purpose) => purpose !== 'keys') : DATA_KEYS;
    const open = () => openKeyring(store, source, now, { purposes, reread: () => withStore(dataKeyRows) });
    let keyring = await open();
    const announcements = isRotation && !isMove ? [await rotateKek(store, source)] : [];
    if (announcements.length > 0) keyring = await open();
    const settled: KeyServerKey = current ? keyServerKey(current, { withStore, now }) : { openedBy: 'root key', open: () => keyring.dataKey('keys') };
    const onMoved = (told: string) => {
      announcements.push(told);
      log.info({ told }, 'the key-encryption key of the key server was rotated');
    };
    const from = isMove && wrapper?.id !== undefined ? named(wrapper.id) : undefined;
    const key = isMove ? afterMove(settled, { from, to: current, source, withStore, onMoved }) : settled;
    return { keyring, seal: new KeyServerSeal({ key, clock, log }), announcements };
  } finally {
    await store.close();
  }
}

async function requireKeys(stored: readonly DataKeyRow[], source: RootKeySource, moveIn: (rows: readonly DataKeyRow[]) => unknown): Promise<void> {
  moveIn(stored);
  if (stored.length > 0) overwrite(await openStored(source, stored));
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems);
}

/**
 * @returns what wraps the data key of the key server, and whether this start moves it to the configured key-encryption key
 * @throws ConfigError if another key than the configured one wraps it, and it is not moved
 */
function moveOf(
  rows: readonly DataKeyRow[],
  id: string | undefined,
  { isRotation, newRootKey }: { readonly isRotation: boolean; readonly newRootKey: string | undefined },
) {
  const wrapper = wrapperOf(rows);
  const isMove = isRotation && wrapper !== undefined && wrapper.id !== id;
  if (isMove && newRootKey !== undefined)
    throw new ConfigError(['--new-root-key: key_encryption_key has changed, which --rotate-kek serves first; replace the root key at another start']);
  if (!isMove) requireWrappedBy(id, rows);
  return { wrapper, isMove };
}

/** Opens a connection for rare later work: rereading the data keys after another node has rotated the root key, or creating the data key of the key server. */
async function onOwnStore<T>(place: StorePlace, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(place.url, writerOf(place));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function writerOf({ node, clock }: StorePlace) {
  return { writer: `${node}/kernel`, clock };
}

/** Records that the rows of these purposes are authenticated. Called when the actors that own these rows have started. */
export async function settleRows({ keyring }: Prepared, purposes: readonly DataKeyPurpose[], place: StorePlace): Promise<void> {
  if (!purposes.some((purpose) => keyring.adopts(purpose))) return;
  await onOwnStore(place, (store) => keyring.settle(store, purposes));
}

/** @returns the unique name of this node among those that share a database; it is created once and stored in the data folder */
export function nodeName(dataDir: string): string {
  const path = join(dataDir, 'node');
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (known !== '') return known;
  // Also where the file is empty, as after damage of the disk: two nodes without a name would write one audit stream.
  const made = randomUUID();
  writePrivateFile(path, `${made}\n`);
  return made;
}
