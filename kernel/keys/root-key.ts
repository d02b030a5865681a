// The root key, a key-encryption key in software: read from a file in the data folder or from the configuration, and replaced by a rotation.
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { renameDurably, writePrivateFile } from '../disk/private-file.ts';
import type { KeyEncryptionKey } from './key-encryption-key.ts';
import { seal, unseal } from './seal.ts';

const FILE = 'root.key';
const KEY_BYTES = 32;
const ID_BYTES = 8;

export interface RootKeySource {
  readonly dataDir: string;
  /** `[store] root_key`: 64 hexadecimal digits, or base64 of 32 bytes; empty: the file `<dataDir>/root.key`. */
  readonly configured: string;
  /** The new root key for a rotation, in the same form. */
  readonly next?: string | undefined;
}

/** Wraps with AES-256-GCM. Its bytes stay in memory until `forget`. */
export class RootKey implements KeyEncryptionKey {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** It is the new key of a rotation that is not finished. */
  readonly isNext: boolean;
  readonly #bytes: Uint8Array;

  /** @param bytes 32 bytes, which the root key takes over */
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

  /** Overwrites the bytes. The key cannot be used afterwards. */
  forget(): void {
    this.#bytes.fill(0);
  }
}

/**
 * Yields the existing root keys: first the one in use, then the new one of a rotation that may have been interrupted. Each is read on demand.
 * @throws ConfigError for a malformed root key
 */
export function* rootKeys({ dataDir, configured, next }: RootKeySource): Generator<RootKey> {
  if (configured !== '') {
    yield parseRootKey(configured, 'store.root_key');
    if (next !== undefined) yield parseRootKey(next, '--new-root-key', true);
    return;
  }
  for (const path of [rootKeyPath(dataDir), nextPath(dataDir)]) {
    if (existsSync(path)) yield parseRootKey(textOf(path), path, path === nextPath(dataDir));
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError([`${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
}

/** @returns the root key for a store without data keys; if there is none, it creates the file */
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

/** @param where source of the text, with which a message begins @throws ConfigError for a malformed root key */
export function parseRootKey(text: string, where: string, isNext = false): RootKey {
  const decoded = Buffer.from(text, /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64');
  if (decoded.length !== KEY_BYTES) throw new ConfigError([`${where}: must be 64 hexadecimal digits, or base64 of 32 bytes`]);
  const bytes = new Uint8Array(decoded);
  decoded.fill(0);
  return new RootKey(bytes, isNext);
}

/** Stores the new root key of a rotation beside the one in use, before anything is wrapped with it. */
export function writeNextRootKey(dataDir: string, text: string): void {
  writePrivateFile(nextPath(dataDir), `${text}\n`);
}

/** Makes the root key that opens the data keys the only one in use. A replaced key is kept in a file with its ID, because earlier backups need it. */
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

/** @returns the path of a root key that a rotation has replaced */
export function keptRootKeyPath(dataDir: string, id: string): string {
  return join(dataDir, `${FILE}.${id}`);
}

function nextPath(dataDir: string): string {
  return join(dataDir, `${FILE}.next`);
}
