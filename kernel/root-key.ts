// The root key, the key-encryption key that software holds: in a file of the data folder or configured, and the file that a rotation puts in its place.
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config/load.ts';
import type { KeyEncryptionKey } from './key-encryption-key.ts';
import { renameDurably, writePrivateFile } from './private-file.ts';
import { seal, unseal } from './seal.ts';

const FILE = 'root.key';
const KEY_BYTES = 32;
const ID_BYTES = 8;

export interface RootKeySource {
  readonly dataDir: string;
  /** `[store] root_key`: 64 hexadecimal digits or base64 of 32 bytes; empty: `<dataDir>/root.key`. */
  readonly configured: string;
  /** The root key that a rotation was given, in the same form. */
  readonly next?: string | undefined;
}

/** AES-256-GCM; its bytes are in memory from when it is read until `forget`. */
export class RootKey implements KeyEncryptionKey {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** It stands where a rotation puts the new one. */
  readonly isNext: boolean;
  readonly #bytes: Uint8Array;

  /** @param bytes 32; the root key's own from now on */
  constructor(bytes: Uint8Array, isNext: boolean) {
    this.#bytes = bytes;
    this.isNext = isNext;
    this.id = createHmac('sha256', bytes).update('gatehouse root key').digest().subarray(0, ID_BYTES).toString('hex');
  }

  async wrap(dataKey: Uint8Array, label: string): Promise<Uint8Array> {
    return seal(this.#bytes, label, dataKey);
  }

  async unwrap(wrapped: Uint8Array, label: string): Promise<Uint8Array | undefined> {
    return unseal(this.#bytes, label, wrapped);
  }

  /** Overwrites its bytes: it opens nothing any more. */
  forget(): void {
    this.#bytes.fill(0);
  }
}

/**
 * Those that there are, the one in use first; after it one that a rotation, perhaps interrupted, puts in its place. Each is read when it is asked for.
 * @throws ConfigError for one that is malformed
 */
export function* rootKeys({ dataDir, configured, next }: RootKeySource): Generator<RootKey> {
  if (configured !== '') {
    yield parseRootKey(configured, 'store.root_key');
    if (next !== undefined) yield parseRootKey(next, '--new-root-key', true);
    return;
  }
  for (const path of [rootKeyPath(dataDir), nextPath(dataDir)]) {
    if (existsSync(path)) yield parseRootKey(readFileSync(path, 'utf8').trim(), path, path === nextPath(dataDir));
  }
}

/** The root key of a store that has no data keys yet; the file is made where there is none. */
export function firstRootKey(source: RootKeySource): RootKey {
  const [known] = rootKeys(source);
  if (known) return known;
  const text = randomRootKey();
  writePrivateFile(rootKeyPath(source.dataDir), `${text}\n`);
  return parseRootKey(text, rootKeyPath(source.dataDir));
}

export function randomRootKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** @param where what a problem is told of */
export function parseRootKey(text: string, where: string, isNext = false): RootKey {
  const decoded = Buffer.from(text, /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64');
  if (decoded.length !== KEY_BYTES) throw new ConfigError([`${where}: a root key is 64 hexadecimal digits or the base64 of 32 bytes`]);
  const bytes = new Uint8Array(decoded);
  decoded.fill(0);
  return new RootKey(bytes, isNext);
}

/** Puts a root key beside the one in use, before anything is wrapped by it. */
export function writeNextRootKey(dataDir: string, text: string): void {
  writePrivateFile(nextPath(dataDir), `${text}\n`);
}

/** Leaves the root key that opens the data keys as the only one in use; one that it replaces is kept under its ID, for the backups made before. */
export function settleRootKeyFiles({ dataDir, configured }: RootKeySource, opens: RootKey): void {
  if (configured !== '') return;
  if (!opens.isNext) return rmSync(nextPath(dataDir), { force: true });
  const path = rootKeyPath(dataDir);
  if (existsSync(path)) {
    const text = readFileSync(path, 'utf8');
    const replaced = parseRootKey(text.trim(), path);
    replaced.forget();
    writePrivateFile(keptRootKeyPath(dataDir, replaced.id), text);
  }
  renameDurably(nextPath(dataDir), path);
}

export function rootKeyPath(dataDir: string): string {
  return join(dataDir, FILE);
}

/** Where a rotation leaves the root key that it replaced. */
export function keptRootKeyPath(dataDir: string, id: string): string {
  return join(dataDir, `${FILE}.${id}`);
}

function nextPath(dataDir: string): string {
  return join(dataDir, `${FILE}.next`);
}
