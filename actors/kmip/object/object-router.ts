// Routes an identifier to its source: every object is read, found, created and changed through the source that holds it.
import type { Transaction } from '../../../kernel/store/store.ts';
import type { Along } from '../../../kernel/store/together.ts';
import type { Principal } from '../api.ts';
import type { OperationContext } from '../operation-context.ts';
import type { DescriptionDraft, Draft, ManagedObject, ObjectDescription } from './managed-object.ts';
import type { Found, ObjectReader, ObjectSource, ObjectWriter, Search } from './object-source.ts';
import type { Held } from './rows/cache.ts';

const BORDER = '::';

export class ObjectRouter implements ObjectReader<ManagedObject, ObjectDescription> {
  /** Holds every identifier that belongs to no other source, and new objects for which no source was chosen. */
  readonly main: ObjectSource;
  /** Longest prefix first; each start is the prefix with its border. */
  readonly #others: readonly { readonly start: string; readonly source: ObjectSource }[];

  /** @param main the source without a prefix @throws Error if a prefix is empty, or two of the others share one */
  constructor(main: ObjectSource, others: readonly ObjectSource[] = []) {
    const prefixes = new Set(others.map(({ prefix }) => prefix));
    if (prefixes.size < others.length || prefixes.has('')) throw new Error('each source of objects needs its own prefix');
    this.main = main;
    this.#others = others.map((source) => ({ start: source.prefix + BORDER, source })).sort((one, other) => other.start.length - one.start.length);
  }

  /** The source with the longest prefix that ends at a border of the identifier. */
  sourceOf(id: string): ObjectSource {
    // Nearly all identifiers have no border.
    if (!id.includes(BORDER)) return this.main;
    return this.#others.find(({ start }) => id.startsWith(start))?.source ?? this.main;
  }

  /** The identifier in full. */
  canonical(id: string): string {
    return this.sourceOf(id).canonical?.(id) ?? id;
  }

  held(id: string, content: boolean): ReturnType<ObjectSource['held']> {
    return this.sourceOf(id).held(id, content);
  }

  readWhole(held: Held): Promise<Held<ManagedObject> | undefined> {
    return this.sourceOf(held.object.id).readWhole(held);
  }

  within(tx: Transaction, caller?: Principal): ObjectWriter {
    return new RoutedWriter(this, tx, caller);
  }

  /** Asks the sources in turn: objects of the main source come first. Only a first page takes in new ones: before the others, they would move those of the next page. */
  async find(ctx: OperationContext, search: Search): Promise<Found> {
    if (search.offset === 0) for (const { source } of this.#others) await source.discover?.(ctx, undefined);
    const ids: string[] = [];
    let total = 0;
    for (const source of [this.main, ...this.#others.map((other) => other.source)]) {
      const found = await source.find(ctx, { ...search, offset: Math.max(0, search.offset - total), limit: search.limit - ids.length });
      ids.push(...found.ids);
      if (found.total === undefined) return { ids, total: undefined };
      total += found.total;
    }
    return { ids, total };
  }
}

/** Creates the writer of each source when it is first needed. */
class RoutedWriter implements ObjectWriter {
  readonly #router: ObjectRouter;
  readonly #tx: Transaction;
  readonly #caller: Principal | undefined;
  readonly #writers = new Map<ObjectSource, ObjectWriter>();

  constructor(router: ObjectRouter, tx: Transaction, caller: Principal | undefined) {
    this.#router = router;
    this.#tx = tx;
    this.#caller = caller;
  }

  #of(id: string): ObjectWriter {
    const source = this.#router.sourceOf(id);
    const known = this.#writers.get(source);
    if (known) return known;
    const writer = source.within(this.#tx, this.#caller);
    this.#writers.set(source, writer);
    return writer;
  }

  held(id: string, content: boolean): ReturnType<ObjectWriter['held']> {
    return this.#of(id).held(id, content);
  }

  readWhole(held: Held<DescriptionDraft>): Promise<Held<Draft> | undefined> {
    return this.#of(held.object.id).readWhole(held);
  }

  describe(id: string): Promise<DescriptionDraft | undefined> {
    return this.#of(id).describe(id);
  }

  read(id: string): Promise<Draft | undefined> {
    return this.#of(id).read(id);
  }

  insert(object: Draft, along?: Along) {
    return this.#of(object.id).insert(object, along);
  }

  update(object: DescriptionDraft) {
    return this.#of(object.id).update(object);
  }

  remove(id: string): Promise<void> {
    return this.#of(id).remove(id);
  }

  copyGrants(from: DescriptionDraft, to: Draft): Promise<void> {
    return this.#of(to.id).copyGrants(from, to);
  }
}
