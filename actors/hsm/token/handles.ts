// The object handles of a slot by the names of keys: one place for all threads, so that none uses the handle of a key that another has destroyed.
import type pkcs11js from 'pkcs11js';
import type { TokenKeyName } from '../api.ts';
import { cacheName, isOfWrapped } from './key-name.ts';

/** Object handles that are remembered for a slot. */
const MAX_HANDLES = 10_000;

export class Handles {
  readonly known = new Map<string, pkcs11js.Handle>();
  readonly #onClear: () => void;
  /** Keys that are being destroyed, each with the end of that. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  /** Uses in other threads, which must end before their key is destroyed: a library may give its handle to the next one. */
  readonly #uses = new Map<string, Set<Promise<unknown>>>();

  /** @param onClear all handles are given up, also those of keys that live only as long */
  constructor(onClear: () => void = () => {}) {
    this.#onClear = onClear;
  }

  has(key: TokenKeyName): boolean {
    return this.known.has(cacheName(key));
  }

  get(key: TokenKeyName): pkcs11js.Handle | undefined {
    return this.known.get(cacheName(key));
  }

  put(key: TokenKeyName, handle: pkcs11js.Handle): void {
    if (this.known.size >= MAX_HANDLES) this.clear();
    this.known.set(cacheName(key), handle);
  }

  clear(): void {
    this.known.clear();
    this.#onClear();
  }

  /** Of keys that were searched for: unwrapped ones live in a session of their own, which another one's trouble does not concern. */
  clearFound(): void {
    for (const name of this.known.keys()) if (!isOfWrapped(name)) this.known.delete(name);
  }

  /** Settles when the key is gone, or was kept; undefined if nobody destroys it. */
  leaving(key: TokenKeyName): Promise<unknown> | undefined {
    return this.#leaving.get(cacheName(key));
  }

  /** A use of the key in another thread. */
  async using<T>(key: TokenKeyName | undefined, work: () => Promise<T>): Promise<T> {
    if (!key) return work();
    const uses = this.#uses.get(cacheName(key)) ?? new Set();
    this.#uses.set(cacheName(key), uses);
    const use = work();
    uses.add(use);
    try {
      return await use;
    } finally {
      uses.delete(use);
      if (uses.size === 0) this.#uses.delete(cacheName(key));
    }
  }

  /** Nobody gets the handle of the key from the beginning of the work until its end. */
  async destroying<T>(key: TokenKeyName, work: () => Promise<T>): Promise<T> {
    const name = cacheName(key);
    const before = this.#leaving.get(name);
    this.known.delete(name);
    const destroyed = (async () => {
      await before;
      await Promise.allSettled(this.#uses.get(name) ?? []);
      return work();
    })();
    const ended = destroyed.then(
      () => {},
      () => {},
    );
    this.#leaving.set(name, ended);
    try {
      return await destroyed;
    } finally {
      this.known.delete(name);
      if (this.#leaving.get(name) === ended) this.#leaving.delete(name);
    }
  }
}
