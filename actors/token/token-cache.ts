// App tokens in the memory of one thread, used only while nobody has changed them.
import type { Reader } from '../../kernel/store/store.ts';
import type { Versions } from '../../kernel/versions.ts';
import type { TokenView } from './api.ts';
import { tokenCounter } from './counter.ts';
import { readTokenRow, type TokenRow, viewToken } from './token-row.ts';

/** Some 20 MB. */
const MAX_TOKENS = 10_000;
/** A token with longer policies and bounds is read each time. */
const MAX_CHARACTERS = 1_024;

interface Entry {
  readonly row: TokenRow;
  readonly version: number;
}

export class TokenCache {
  readonly #store: Reader;
  readonly #versions: Versions | undefined;
  /** In the order in which they came. */
  readonly #entries = new Map<string, Entry>();

  /** @param versions without them nothing is kept */
  constructor(store: Reader, versions: Versions | undefined) {
    this.#store = store;
    this.#versions = versions;
  }

  /** @returns null for a token that does not exist, has expired, is revoked or is bound to other addresses than `source` */
  async look(digest: string, source: string, now: number): Promise<TokenView | null> {
    const version = this.#versions?.read(tokenCounter(digest)) ?? Number.NaN;
    const entry = this.#entries.get(digest);
    const known = entry?.version === version ? viewToken(entry.row, source, now) : null;
    if (known) return known;
    this.#entries.delete(digest);
    const row = await readTokenRow(this.#store, digest);
    if (!row) return null;
    if (!Number.isNaN(version) && row.policies.length + row.bounds.length <= MAX_CHARACTERS) this.#keep(digest, { row, version });
    return viewToken(row, source, now);
  }

  #keep(digest: string, entry: Entry): void {
    if (this.#entries.size >= MAX_TOKENS) this.#entries.delete(this.#entries.keys().next().value as string);
    this.#entries.set(digest, entry);
  }
}
