// Runs the life of one model: the machine with its timers, and those who wait for a state of it.
import { createActor, fromPromise } from 'xstate';
import type { Clock } from '../../kernel/clock.ts';
import { describe, Fault } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/log/log-entry.ts';
import type { ModelState } from './api.ts';
import { type ModelLimits, modelMachine } from './model.machine.ts';

interface LifeOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: ModelLimits;
  load(): Promise<void>;
  warm(): Promise<void>;
  unload(): Promise<void>;
  isBusy(): boolean;
  /** What it held is gone. */
  forget(): void;
}

export class Life {
  readonly #interpreter;

  constructor(options: LifeOptions) {
    this.#interpreter = interpreterOf(options);
  }

  get state(): ModelState {
    return this.#interpreter.getSnapshot().value;
  }

  /** Why it failed last. */
  get problem(): unknown {
    return this.#interpreter.getSnapshot().context.problem;
  }

  use(): void {
    this.#interpreter.send({ type: 'use' });
  }

  evict(): void {
    this.#interpreter.send({ type: 'evict' });
  }

  lost(cause: unknown): void {
    this.#interpreter.send({ type: 'lost', cause });
  }

  stop(): void {
    this.#interpreter.stop();
  }

  /** Settles when it is in one of these states. @throws Fault CANCELLED */
  until(states: readonly ModelState[], signal?: AbortSignal): Promise<void> {
    if (states.includes(this.state)) return Promise.resolve();
    // No listener hears of an abort that has passed.
    if (signal?.aborted) return Promise.reject(new Fault('CANCELLED'));
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        watch.unsubscribe();
        signal?.removeEventListener('abort', cancel);
        settle();
      };
      const cancel = () => end(() => reject(new Fault('CANCELLED')));
      const watch = this.#interpreter.subscribe(({ value }) => states.includes(value) && end(resolve));
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }
}

function interpreterOf({ id, clock, log, limits, ...work }: LifeOptions) {
  const interpreter = createActor(
    modelMachine.provide({
      actors: { load: fromPromise(() => work.load()), warm: fromPromise(() => work.warm()), unload: fromPromise(() => work.unload()) },
      guards: { isBusy: () => work.isBusy() },
      actions: { forget: () => work.forget() },
    }),
    { clock: clock as never, input: { limits, now: () => clock.monotonic() } },
  );
  // Without an error observer XState would throw into the thread.
  interpreter.subscribe({
    next: ({ value, context }) => value === 'failed' && log.error({ model: id, cause: describe(context.problem) }, 'the model failed'),
    error: (error) => log.error({ model: id, error: describe(error) }, 'the life of a model ended'),
  });
  return interpreter.start();
}
