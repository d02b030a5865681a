// Work that a transaction needs but must not do itself: a transaction blocks all other writers, may run again, and awaits only its store.
import { createHash } from 'node:crypto';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import type { ManagedObject } from './managed-object.ts';

type Work = () => Promise<unknown>;

/** Ends a run of a transaction that has not written anything yet. */
class WorkWanted extends Error {
  readonly works: ReadonlyMap<string, Work>;

  constructor(works: ReadonlyMap<string, Work>) {
    super('this work must be done outside the transaction');
    this.works = works;
  }
}

/**
 * Results of work done outside. The name of a result states everything that it depends on; contents are named by their `fingerprint`.
 * If any of it changes, the name changes too, and the work is done again.
 */
export class Outside {
  readonly #results = new Map<string, unknown>();
  readonly #undo: (() => Promise<void>)[] = [];

  /** Creates a value once for all runs: new keys, identifiers, serial numbers. */
  keep<T>(name: string, make: () => T): T {
    if (!this.#results.has(name)) this.#results.set(name, make());
    return this.#results.get(name) as T;
  }

  /** One result. A transaction requests all the results that it needs before it writes. */
  result<T>(name: string, work: () => Promise<T>): T {
    return this.results(new Map([[name, work]]))[0] as T;
  }

  /** A result that exists outside the server. If the change fails, it is removed again, or what cannot be undone is recorded. */
  made<T>(name: string, work: () => Promise<T>, undo: () => Promise<void>): T {
    return this.result(name, async () => {
      const made = await work();
      this.#undo.push(undo);
      return made;
    });
  }

  /** One that fails does not hold up the others, nor hide why the change failed. */
  async undo(): Promise<void> {
    for (const undo of this.#undo) await undo().catch(() => {});
  }

  /** Results in the order of the works. */
  results<T>(works: ReadonlyMap<string, () => Promise<T>>): T[] {
    const missing = new Map([...works].filter(([name]) => !this.#results.has(name)));
    if (missing.size > 0) throw new WorkWanted(missing);
    return [...works.keys()].map((name) => this.#results.get(name) as T);
  }

  async do(works: ReadonlyMap<string, Work>): Promise<void> {
    for (const [name, work] of works) this.#results.set(name, await work());
  }
}

/** Runs a change. If it needs outside work, the change is rolled back and runs again once the work is done. */
export async function withOutside<T>(change: (outside: Outside) => Promise<T>): Promise<T> {
  const outside = new Outside();
  for (;;) {
    try {
      return await change(outside);
    } catch (error) {
      if (!(error instanceof WorkWanted)) {
        await outside.undo();
        throw error;
      }
      try {
        await outside.do(error.works);
      } catch (failure) {
        await outside.undo();
        throw failure;
      }
    }
  }
}

/** Differs for every content. */
export function fingerprint({ id, content }: ManagedObject): string {
  return content === undefined ? id : `${id} ${createHash('sha256').update(encodeBinary(content)).digest('base64')}`;
}
