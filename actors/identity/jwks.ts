// Key sets by their addresses: fetched once for all who wait, kept, and asked for again no more often than their owner allows.
import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { Fetcher } from './fetch.ts';

/** What is known of one address. Keys stay when a later fetch fails; where there are none, `failure` says why. */
export interface KeySet {
  readonly resolve: LocalJWKSet | undefined;
  readonly failure: string | undefined;
}

interface Entry {
  set: KeySet;
  /** Monotonic milliseconds; undefined before the first. */
  fetchedAt: number | undefined;
  triedAt: number | undefined;
  flight: Promise<void> | undefined;
  /** Memory that the keys take at most. */
  bytes: number;
}

/** A key that its issuer has withdrawn counts for this long at most. */
const OLD_MS = 600_000;
/** Addresses come from administrators; the bound is for those they have edited away. */
const MOST_ENTRIES = 1_000;
/** Memory of all sets together; one of a megabyte takes a third of it. */
const MAX_BYTES = 83_886_080;
/** Bytes that a character of JSON can become in memory, with the keys that are imported from it. */
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

  /** The set at hand; fetched when there is none, or it is old. */
  async current(uri: string, minRefreshSeconds: number): Promise<KeySet> {
    const entry = this.#entryOf(uri);
    if (entry.fetchedAt !== undefined && this.#clock.monotonic() - entry.fetchedAt < OLD_MS) return entry.set;
    return this.#fetched(entry, uri, minRefreshSeconds);
  }

  /** A newer one than `known`, if one may be fetched now; else what is at hand. */
  async newer(uri: string, minRefreshSeconds: number, known: KeySet): Promise<KeySet> {
    const entry = this.#entryOf(uri);
    return entry.set === known ? this.#fetched(entry, uri, minRefreshSeconds) : entry.set;
  }

  #entryOf(uri: string): Entry {
    const entry = this.#entries.get(uri) ?? {
      set: { resolve: undefined, failure: undefined },
      fetchedAt: undefined,
      triedAt: undefined,
      flight: undefined,
      bytes: 0,
    };
    // The last used is the last to go.
    this.#entries.delete(uri);
    this.#entries.set(uri, entry);
    if (this.#entries.size > MOST_ENTRIES) this.#drop(this.#entries.keys().next().value as string);
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

  /** One fetch for all who wait, and none before its time. */
  async #fetched(entry: Entry, uri: string, minRefreshSeconds: number): Promise<KeySet> {
    const now = this.#clock.monotonic();
    if (!entry.flight && (entry.triedAt === undefined || now - entry.triedAt >= minRefreshSeconds * 1000)) {
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
      entry.set = { resolve: createLocalJWKSet({ keys } as unknown as JSONWebKeySet), failure: undefined };
      entry.fetchedAt = this.#clock.monotonic();
      // One that went meanwhile is counted no more.
      if (this.#entries.get(uri) === entry) this.#weigh(uri, entry, JSON.stringify(keys).length * JSON_EXPANSION);
    } catch (error) {
      // The object stays the same where its keys do, so that nobody tries them twice.
      if (entry.set.resolve === undefined) entry.set = { resolve: undefined, failure: describe(error) };
    }
  }
}

/** The code says more than the message where a connection failed: ECONNREFUSED, DEPTH_ZERO_SELF_SIGNED_CERT. */
function describe(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ') || 'unknown failure';
}
