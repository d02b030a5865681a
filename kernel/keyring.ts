// The server's own keys: the root key in a file, and the data keys that it wraps in the database.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config/load.ts';
import { writePrivateFile } from './data-dir.ts';
import { seal, unseal } from './seal.ts';
import type { Store } from './store/store.ts';

/** `auth` wraps TOTP secrets and signing keys, `keys` the objects of the key server. */
export const DATA_KEYS = ['auth', 'keys'] as const;
export type DataKeyPurpose = (typeof DATA_KEYS)[number];

const ROOT_KEY_FILE = 'root.key';
const KEY_BYTES = 32;
const CHECK_BYTES = 8;
const LOCK = 'gatehouse first start';

interface DataKeyRow {
  readonly purpose: string;
  readonly wrapped: Uint8Array;
  readonly check_value: Uint8Array;
}

export interface Keyring {
  /** A copy for the thread that has work to do with it; the caller overwrites it after use. */
  dataKey(purpose: DataKeyPurpose): Uint8Array;
}

/**
 * Opens the data keys, making them and the root key on the first start of all nodes.
 * @param configured `[store] root_key`: 64 hexadecimal digits or base64 of 32 bytes; empty: `<dataDir>/root.key`
 * @throws ConfigError when the root key is missing, malformed, or does not open the stored data keys; a second one is never made
 */
export async function openKeyring(store: Store, dataDir: string, configured: string, now: () => number): Promise<Keyring> {
  const keys = await store.transaction(
    async (tx) => {
      const rows = await tx.all<DataKeyRow>('SELECT purpose, wrapped, check_value FROM data_key');
      const root = readRootKey(dataDir, configured, rows.length === 0);
      const opened = new Map(rows.map((row) => [row.purpose, openRow(root, row)]));
      for (const purpose of DATA_KEYS) {
        if (opened.has(purpose)) continue;
        const key = new Uint8Array(randomBytes(KEY_BYTES));
        opened.set(purpose, key);
        const wrapped = seal(root, aad(purpose), key);
        await tx.run('INSERT INTO data_key (purpose, wrapped, check_value, created_at) VALUES ($1, $2, $3, $4)', [purpose, wrapped, checkValue(key), now()]);
      }
      root.fill(0);
      return opened;
    },
    { lock: LOCK },
  );
  return { dataKey: (purpose) => new Uint8Array(keys.get(purpose) as Uint8Array) };
}

function openRow(root: Uint8Array, { purpose, wrapped, check_value: expected }: DataKeyRow): Uint8Array {
  const key = unseal(root, aad(purpose), wrapped);
  if (key && timingSafeEqual(checkValue(key), expected)) return key;
  throw new ConfigError([
    `store.root_key: this root key does not open the data key "${purpose}" of the database; use the root key that the database was made with`,
  ]);
}

function readRootKey(dataDir: string, configured: string, mayCreate: boolean): Uint8Array {
  if (configured !== '') return parseRootKey(configured, 'store.root_key');
  const path = join(dataDir, ROOT_KEY_FILE);
  if (existsSync(path)) return parseRootKey(readFileSync(path, 'utf8').trim(), path);
  if (!mayCreate) throw new ConfigError([`${path} is missing, but the database has data keys wrapped by it: put it back (a new one would not open them)`]);
  const root = new Uint8Array(randomBytes(KEY_BYTES));
  writePrivateFile(path, `${Buffer.from(root).toString('base64')}\n`);
  return root;
}

function parseRootKey(text: string, where: string): Uint8Array {
  const bytes = Buffer.from(text, /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64');
  if (bytes.length !== KEY_BYTES) throw new ConfigError([`${where}: a root key is 64 hexadecimal digits or the base64 of 32 bytes`]);
  const root = new Uint8Array(bytes);
  bytes.fill(0);
  return root;
}

function aad(purpose: string): string {
  return `gatehouse data key ${purpose}`;
}

function checkValue(key: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', key).update('gatehouse check value').digest().subarray(0, CHECK_BYTES));
}
