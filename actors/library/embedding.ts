// Makes the vectors of references in the background. What is missing is in the rows, so it goes on after a restart, and begins anew with another embedder.
import type { Clock, Timer } from '../../kernel/clock.ts';
import { describe, Fault } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/log/log-entry.ts';
import { repeat } from '../../kernel/repeat.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { EmbeddingStatus } from './api.ts';
import { type Embedder, embeddedText } from './embedder.ts';
import type { ReferenceKeys } from './reference-keys.ts';
import { passagesOf, titleOf, touchBase } from './rows.ts';
import { addVectors, countWithout, nextOrdinal, referencesWithout, unfinished, type WaitingReference } from './vector-rows.ts';

/** Passages of one call of the embedder, and of one row. */
const BATCH = 32;
/** References at a time: while the vectors of one are written, those of the other are made. */
const AT_ONCE = 2;
const RETRY_MS = 10_000;
/** Longer than a batch takes: references that have no more vectors by then were left by another node, which has ended, or cannot make them. */
const LOOK_MS = 60_000;
/** A reference that ends the process of the embedder again and again is left out until the next start, so that questions are still answered. */
const MAX_CRASHES = 2;

interface EmbeddingParts {
  readonly store: Store;
  readonly keys: ReferenceKeys;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the library stops. */
  readonly signal: AbortSignal;
}

export class Embedding {
  readonly #parts: EmbeddingParts;
  /** By reference: how often the process of the embedder ended while it worked on it. */
  readonly #crashes = new Map<string, number>();
  /** By reference: how often the embedder failed while it worked on it. */
  readonly #failures = new Map<string, number>();
  /** The embedder that it has worked with last. */
  #name: string | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #retry: Timer | undefined;
  /** Why it does not go on. */
  #problem: unknown;
  /** What the unfinished references had when it looked last. */
  #seen: string | undefined;
  readonly #rest: () => void;

  constructor(parts: EmbeddingParts) {
    this.#parts = parts;
    // What fails is the database, which others tell of.
    this.#rest = repeat(
      parts.clock,
      LOOK_MS,
      () => this.#look(),
      () => {},
    );
  }

  /** There may be references without vectors. */
  wake(): void {
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** Files of the embedder may be replaced while it is not loaded: nothing tells that but its name. */
  noticed(name: string): void {
    if (this.#name !== undefined && name !== this.#name) this.wake();
  }

  async status(): Promise<EmbeddingStatus> {
    const { store, embedder } = this.#parts;
    const name = await embedder.name().catch(() => undefined);
    if (name !== undefined) this.noticed(name);
    const references = await countWithout(store, undefined);
    // While the embedder cannot be read, nobody knows whose vectors these are.
    const waiting = await countWithout(store, name);
    const problem = this.#problem && ((this.#problem as Partial<Fault>).detail ?? 'the vectors could not be made; the log says why');
    return { references, waiting, ...(problem !== undefined && { problem: String(problem) }) };
  }

  async stop(): Promise<void> {
    this.#rest();
    if (this.#retry) this.#parts.clock.clearTimeout(this.#retry);
    await this.#running;
  }

  async #look(): Promise<void> {
    if (this.#name === undefined || this.#running) return;
    // Nodes that have other files of the embedder must not make each other's vectors anew in turns: what is finished stays.
    const { references, rows } = await unfinished(this.#parts.store);
    const seen = `${references} with ${rows}`;
    if (references > 0 && seen === this.#seen) this.wake();
    this.#seen = seen;
  }

  async #run(): Promise<void> {
    const { signal, clock, log } = this.#parts;
    try {
      while (this.#again && !signal.aborted) {
        this.#again = false;
        await this.#embedAll();
        this.#problem = undefined;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (String(error) !== String(this.#problem)) log.warn({ error: describe(error) }, 'vectors of references could not be made; it is tried again');
      this.#problem = error;
      if (this.#retry) clock.clearTimeout(this.#retry);
      this.#retry = clock.setTimeout(() => this.wake(), RETRY_MS);
    } finally {
      // In the turn in which it has looked for the last time: who wakes it later would find it running, and nobody would look.
      this.#running = undefined;
    }
  }

  async #embedAll(): Promise<void> {
    const { store, embedder, log } = this.#parts;
    const name = await embedder.name();
    this.#name = name;
    // In no order: several nodes that share the database seldom work on the same one.
    const waiting = shuffled((await referencesWithout(store, name)).filter(({ id }) => (this.#crashes.get(id) ?? 0) < MAX_CRASHES));
    // The last comes first. One that the embedder does not take must not keep others waiting.
    const failures = ({ id }: WaitingReference) => this.#failures.get(id) ?? 0;
    waiting.sort((a, b) => failures(b) - failures(a));
    if (waiting.length === 0) return;
    log.info({ references: waiting.length, embedder: name }, 'vectors of references are being made');
    let failure: unknown;
    const worker = async () => {
      for (let next = waiting.pop(); next && !failure && !this.#parts.signal.aborted; next = waiting.pop())
        await this.#embed(next, name).catch((error: unknown) => {
          failure ??= error;
        });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    if (failure !== undefined) throw failure;
  }

  async #embed(reference: WaitingReference, name: string): Promise<void> {
    const { store, keys, embedder, clock, signal } = this.#parts;
    const { id, base } = reference;
    const [title, passages] = [await titleOf(store, keys, reference), await passagesOf(store, keys, id)];
    let at = await nextOrdinal(store, id, name);
    do {
      const texts = passages.slice(at, at + BATCH).map((passage) => embeddedText(title, passage));
      const made = await embedder.passages(texts, signal).catch((error: unknown) => this.#noteFailure(id, error));
      // Its files have been replaced meanwhile.
      if (texts.length > 0 && made.embedder !== name) return this.wake();
      const [from, isLast] = [at, at + texts.length >= passages.length];
      const isThere = await store.transaction(async (tx) => {
        if (!(await addVectors(tx, keys, id, from, name, made, isLast))) return false;
        if (isLast) await touchBase(tx, base, clock.now());
        return true;
      });
      if (!isThere) return;
      // It works again, long before all have their vectors.
      this.#problem = undefined;
      at += texts.length;
    } while (at < passages.length && !signal.aborted);
  }

  #noteFailure(id: string, error: unknown): never {
    this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1);
    if (error instanceof Fault && error.code === 'ACTOR_LOST') this.#crashes.set(id, (this.#crashes.get(id) ?? 0) + 1);
    throw error;
  }
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
