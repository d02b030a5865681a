// A cache of key sets by address: one fetch serves all who wait, a set is not fetched again before its shortest interval has passed, and a failed fetch is tried again soon.
import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { Fetcher } from './fetch.ts';

/** The keys of one address. They stay if a later fetch fails; if there are none, `failure` says why. */
export interface KeySet {
  readonly resolve: LocalJWKSet | undefined;
  readonly failure: string | undefined;
}

interface Entry {
  set: KeySet;
  /** Monotonic milliseconds; undefined before the first fetch. */
  fetchedAt: number | undefined;
  triedAt: number | undefined;
  /** Fetches that have failed since the last one that did not. */
  failures: number;
  flight: Promise<void> | undefined;
  /** Upper bound of the memory for the keys. */
  bytes: number;
}

/** A set that is older is fetched again before it is used, if the shortest interval of its realm allows; where that fails, the old one stays. */
const OLD_MS = 600_000;
/** After a failure the next fetch may come so soon, after each further one in twice the time: when a provider is back, its users need not wait for the whole interval. */
const FIRST_RETRY_MS = 1_000;
/** Addresses come from administrators; the limit removes addresses that are no longer in use. */
const MAX_ENTRIES = 1_000;
/** Memory of all sets together; a set of one megabyte takes a third of it. */
const MAX_BYTES = 83_886_080;
/** Bytes of memory per character of JSON, at most, including the imported keys. */
const JSON_EXPANSION = 32;

export class KeySets {
  readonly #clock: Clock;
  readonly #fetcher: Fetcher;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(clock: Clock, fetcher: Fetcher) {
    this.#clock = clock;
    this.#fetcher = fetcher;
  }

  /** The cached set; fetches it first if there is none or it is too old. */
  async current(uri: string, minRefreshSeconds: number): Promise<KeySet> {
    const entry = this.#entryOf(uri);
    if (entry.fetchedAt !== undefined && this.#clock.monotonic() - entry.fetchedAt < OLD_MS) return entry.set;
    return this.#fetchKeySet(entry, uri, minRefreshSeconds);
  }

  /** A newer set than `known` if one may be fetched now, else the cached one. */
  async newer(uri: string, minRefreshSeconds: number, known: KeySet): Promise<KeySet> {
    const entry = this.#entryOf(uri);
    return entry.set === known ? this.#fetchKeySet(entry, uri, minRefreshSeconds) : entry.set;
  }

  #entryOf(uri: string): Entry {
    const entry = this.#entries.get(uri) ?? {
      set: { resolve: undefined, failure: undefined },
      fetchedAt: undefined,
      triedAt: undefined,
      failures: 0,
      flight: undefined,
      bytes: 0,
    };
    // Keep the map in order of use: the least recently used set is dropped first.
    this.#entries.delete(uri);
    this.#entries.set(uri, entry);
    if (this.#entries.size > MAX_ENTRIES) this.#drop(this.#entries.keys().next().value as string);
    return entry;
  }

  #weigh(uri: string, entry: Entry, bytes: number): void {
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    for (const other of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) return;
      if (other !== uri) this.#drop(other);
    }
  }

  #drop(uri: string): void {
    this.#bytes -= this.#entries.get(uri)?.bytes ?? 0;
    this.#entries.delete(uri);
  }

  /** Joins a running fetch, or starts one if the interval has passed. */
  async #fetchKeySet(entry: Entry, uri: string, minRefreshSeconds: number): Promise<KeySet> {
    const now = this.#clock.monotonic();
    if (!entry.flight && (entry.triedAt === undefined || now - entry.triedAt >= pauseOf(entry, minRefreshSeconds))) {
      entry.triedAt = now;
      entry.flight = this.#load(entry, uri).finally(() => {
        entry.flight = undefined;
      });
    }
    await entry.flight;
    return entry.set;
  }

  async #load(entry: Entry, uri: string): Promise<void> {
    try {
      const keys = await this.#fetcher.fetch(uri);
      entry.set = { resolve: createLocalJWKSet({ keys: keys.map(normalized) } as unknown as JSONWebKeySet), failure: undefined };
      entry.fetchedAt = this.#clock.monotonic();
      entry.failures = 0;
      // An entry that was dropped meanwhile no longer counts.
      if (this.#entries.get(uri) === entry) this.#weigh(uri, entry, JSON.stringify(keys).length * JSON_EXPANSION);
    } catch (error) {
      entry.failures += 1;
      // Keep the same object while the keys stay the same: callers compare objects to avoid trying the same keys twice.
      if (entry.set.resolve === undefined) entry.set = { resolve: undefined, failure: describe(error) };
    }
  }
}

/** @returns milliseconds from one fetch to the next */
function pauseOf({ failures }: Entry, minRefreshSeconds: number): number {
  const usual = minRefreshSeconds * 1_000;
  return failures === 0 ? usual : Math.min(usual, FIRST_RETRY_MS * 2 ** (failures - 1));
}

/**
 * As the library reads it. `Ed25519` is a newer name of what `EdDSA` means for such a key (RFC 9864 section 2.2), and whoever signs may use the other one;
 * and a public key only verifies, whatever its private part may do.
 */
function normalized(key: unknown): unknown {
  if (typeof key !== 'object' || key === null) return key;
  const { alg, key_ops: uses, ...rest } = key as { alg?: unknown; key_ops?: unknown; crv?: unknown };
  const isNamed = !(rest.crv === 'Ed25519' && (alg === 'EdDSA' || alg === 'Ed25519'));
  const verifies = Array.isArray(uses) && uses.includes('verify');
  return { ...rest, ...(alg !== undefined && isNamed && { alg }), ...(uses !== undefined && { key_ops: verifies ? ['verify'] : uses }) };
}

/** For failed connections the code says more than the message: ECONNREFUSED, DEPTH_ZERO_SELF_SIGNED_CERT. */
function describe(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ') || 'unknown failure';
}
