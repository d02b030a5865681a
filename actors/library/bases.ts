// Which documentary bases are there: those of the configuration, and those that were created on request. One that has left the configuration is kept for nobody.
import type { Log } from '../../kernel/log/log-entry.ts';
import type { Store } from '../../kernel/store/store.ts';
import { baseRows, isOnRequest, listReferences, ownBases } from './rows.ts';

export class Bases {
  readonly #store: Store;
  /** Names. */
  readonly #configured: readonly string[];

  constructor(store: Store, configured: readonly string[]) {
    this.#store = store;
    this.#configured = configured;
  }

  isConfigured(base: string): boolean {
    return this.#configured.includes(base);
  }

  /** Whether there is such a base for anybody. */
  async has(base: string): Promise<boolean> {
    return this.isConfigured(base) || (await isOnRequest(this.#store, base)) === true;
  }

  /**
   * One that is kept for nobody must not be opened to everybody by a first reference.
   * @param creates whether a first reference may create a base
   * @returns whether it creates this one; undefined if there is none, and none is created
   */
  async isCreated(base: string, creates: boolean): Promise<boolean | undefined> {
    if (await this.has(base)) return false;
    return creates && (await isOnRequest(this.#store, base)) === undefined ? true : undefined;
  }

  /** @returns the names of the references of each base, in order */
  async list(): Promise<ReadonlyMap<string, readonly string[]>> {
    // A map, because a base may be called as something that every object has, such as constructor.
    const listed = new Map<string, string[]>(this.#configured.map((base) => [base, []]));
    for (const { base, name, on_request: onRequest } of await listReferences(this.#store)) {
      if (!onRequest && !this.isConfigured(base)) continue;
      const names = listed.get(base) ?? [];
      listed.set(base, names);
      if (name !== null) names.push(name);
    }
    return listed;
  }

  /** Bases of the configuration stay its own when they leave it: who may use them is not known any more. Told once, at the start. */
  async adopt(log: Log): Promise<void> {
    const rows = await baseRows(this.#store);
    const own = rows.filter(({ name, on_request: onRequest }) => onRequest && this.isConfigured(name)).map(({ name }) => name);
    if (own.length > 0) await this.#store.transaction((tx) => ownBases(tx, own));
    const bases = rows.filter(({ name, on_request: onRequest }) => !onRequest && !this.isConfigured(name)).map(({ name }) => name);
    if (bases.length > 0)
      log.warn({ bases }, 'documentary bases are not in the configuration any more: nobody can use them until [[ai.documentary_bases]] names them');
  }
}
