// The part of an actor that lives in the thread of its callers: it answers at once what it can, and leaves the rest to the actor itself.
import { performance } from 'node:perf_hooks';
import type { Api, BesideContext, BesideFactory, BesidePart } from '../actor.ts';
import { isFinal, isLeft, WRITTEN_ELSEWHERE } from '../elsewhere.ts';
import { describe, Fault } from '../fault.ts';
import type { Status } from '../status.ts';
import { currentSpan } from '../tracing/span.ts';
import type { CallObserver, CallOptions } from './channel/pending.ts';

interface BesideOptions {
  /** Of the actor. */
  readonly name: string;
  /** Copies what crosses, as a thread would: for tests, which must notice a value that both sides hold. */
  readonly isCopying: boolean;
  readonly observe: CallObserver;
  readonly context: BesideContext<Api>;
  /** Where `context.report` writes. */
  readonly reported: { readonly status?: Status };
}

/** The way to the actor itself. */
interface Crossing {
  /** @param writes whether the call is short and writes */
  cross(method: string, args: readonly unknown[], options: CallOptions, writes?: boolean): Promise<unknown>;
}

type Method = (...args: readonly unknown[]) => unknown;

export class Beside {
  /** How calls ended here: answered, left to the actor, or left to it because they failed. */
  readonly counts = { answered: 0, left: 0, failed: 0 };
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #options: BesideOptions;
  readonly #part: BesidePart<Api>;

  private constructor(part: BesidePart<Api>, options: BesideOptions) {
    this.#part = part;
    this.#options = options;
    this.#methods = new Map(Object.entries(part.api) as [string, Method][]);
  }

  /** @param module its default export is a BesideFactory @throws what the factory throws: the actor is called without it then */
  static async open(module: URL, args: unknown, options: BesideOptions): Promise<Beside> {
    const { default: factory } = (await import(module.href)) as { default: BesideFactory<Api, unknown> };
    return new Beside(await factory(args, options.context), options);
  }

  /** What the part has reported last. */
  get status(): Status | undefined {
    return this.#options.reported.status;
  }

  /**
   * The answer, at once if this part has it at once, or what `actor` answers where this part leaves the call to the actor. Refusals are the
   * actor's too: it writes what has to be written about them. Faults of the other actors that the part has asked are the answer. It never throws.
   */
  call(method: string, args: readonly unknown[], options: CallOptions, actor: Crossing): unknown {
    const run = this.#methods.get(method);
    if (run === undefined) return actor.cross(method, args, options);
    const parent = currentSpan();
    if (!parent) return this.#serve(run, method, args, options, actor);
    const span = parent.begin(`${this.#options.name}.${method}`, 'internal', { 'gatehouse.actor.placement': 'beside' });
    return span.over(() => this.#serve(run, method, args, options, actor));
  }

  #serve(run: Method, method: string, args: readonly unknown[], options: CallOptions, actor: Crossing): unknown {
    const startedAt = performance.now();
    const { isCopying } = this.#options;
    let value: unknown;
    try {
      value = isCopying ? run(...structuredClone(args)) : run(...args);
    } catch (error) {
      return this.#leave(error, method, args, options, actor);
    }
    if (!(value instanceof Promise)) return this.#answer(value, startedAt);
    return value.then(
      (awaited) => this.#answer(awaited, startedAt),
      (error: unknown) => (isFinal(error) ? this.#fail(error, startedAt) : this.#leave(error, method, args, options, actor)),
    );
  }

  #fail(fault: Fault, startedAt: number): never {
    this.counts.answered += 1;
    this.#options.observe(fault.code, 0, performance.now() - startedAt);
    throw fault;
  }

  #answer(value: unknown, startedAt: number): unknown {
    this.counts.answered += 1;
    this.#options.observe('ok', 0, performance.now() - startedAt);
    return this.#options.isCopying ? structuredClone(value) : value;
  }

  #leave(error: unknown, method: string, args: readonly unknown[], options: CallOptions, actor: Crossing): Promise<unknown> {
    const isMeant = isLeft(error) || error instanceof Fault;
    this.counts[isMeant ? 'left' : 'failed'] += 1;
    if (!isMeant) this.#options.context.log.warn({ error: describe(error), method }, 'a call failed beside its caller, the actor is asked');
    return actor.cross(method, args, options, error === WRITTEN_ELSEWHERE);
  }

  async close(): Promise<void> {
    await this.#part.stop?.();
  }
}
