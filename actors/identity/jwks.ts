// Key sets by their addresses: fetched once for all who wait, kept, and asked for again no more often than their owner allows.
import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { Fetcher } from './fetch.ts';

/** What is known of one address. Keys stay when a later fetch fails; where there are none, `failure` says why. */
export interface KeySet {
  readonly resolve: LocalJWKSet | undefined;
  readonly failure: string | undefined;
}

export interface KeySets {
  /** The set at hand; fetched when there is none, or it is old. */
  current(uri: string, minRefreshSeconds: number): Promise<KeySet>;
  /** A newer one than `known`, if one may be fetched now; else what is at hand. */
  newer(uri: string, minRefreshSeconds: number, known: KeySet): Promise<KeySet>;
}

interface Entry {
  set: KeySet;
  /** Monotonic milliseconds; undefined before the first. */
  fetchedAt: number | undefined;
  triedAt: number | undefined;
  flight: Promise<void> | undefined;
}

/** A key that its issuer has withdrawn counts for this long at most. */
const OLD_MS = 600_000;
/** Addresses come from administrators; the bound is for those they have edited away. */
const MOST_ENTRIES = 1_000;

export function createKeySets(clock: Clock, fetcher: Fetcher): KeySets {
  const entries = new Map<string, Entry>();

  function entryOf(uri: string): Entry {
    const entry = entries.get(uri) ?? { set: { resolve: undefined, failure: undefined }, fetchedAt: undefined, triedAt: undefined, flight: undefined };
    // The last used is the last to go.
    entries.delete(uri);
    entries.set(uri, entry);
    if (entries.size > MOST_ENTRIES) entries.delete(entries.keys().next().value as string);
    return entry;
  }

  async function load(entry: Entry, uri: string): Promise<void> {
    try {
      const keys = await fetcher.fetch(uri);
      entry.set = { resolve: createLocalJWKSet({ keys } as unknown as JSONWebKeySet), failure: undefined };
      entry.fetchedAt = clock.monotonic();
    } catch (error) {
      // The object stays the same where its keys do, so that nobody tries them twice.
      if (entry.set.resolve === undefined) entry.set = { resolve: undefined, failure: describe(error) };
    }
  }

  /** One fetch for all who wait, and none before its time. */
  async function fetched(entry: Entry, uri: string, minRefreshSeconds: number): Promise<KeySet> {
    const now = clock.monotonic();
    if (!entry.flight && (entry.triedAt === undefined || now - entry.triedAt >= minRefreshSeconds * 1000)) {
      entry.triedAt = now;
      entry.flight = load(entry, uri).finally(() => {
        entry.flight = undefined;
      });
    }
    await entry.flight;
    return entry.set;
  }

  return {
    async current(uri, minRefreshSeconds) {
      const entry = entryOf(uri);
      if (entry.fetchedAt !== undefined && clock.monotonic() - entry.fetchedAt < OLD_MS) return entry.set;
      return fetched(entry, uri, minRefreshSeconds);
    },
    async newer(uri, minRefreshSeconds, known) {
      const entry = entryOf(uri);
      return entry.set === known ? fetched(entry, uri, minRefreshSeconds) : entry.set;
    },
  };
}

/** The code says more than the message where a connection failed: ECONNREFUSED, DEPTH_ZERO_SELF_SIGNED_CERT. */
function describe(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ') || 'unknown failure';
}
