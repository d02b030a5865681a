// One model: brings it into memory when it is used, gives requests their turns, and counts what became of them.
import { Fault } from '../../kernel/fault.ts';
import type { ModelFigures, ModelSpec, ModelStatus } from './api.ts';
import type { Engine, EngineSurroundings, OpenEngine } from './engine.ts';
import { Life } from './life.ts';
import type { LoadedMemory, Tenant } from './loaded-memory.ts';
import type { ModelLimits } from './model.machine.ts';
import { patiently } from './patience.ts';
import { type TurnLimits, Turns } from './turns.ts';

export interface ModelSurroundings extends EngineSurroundings {
  readonly open: OpenEngine;
  /** @returns MiB that it will take */
  estimate(model: ModelSpec): Promise<number>;
  /** @returns the revision that an engine of it would have */
  revision(model: ModelSpec): Promise<string>;
  /** @returns what is missing to load it */
  missing(model: ModelSpec): Promise<readonly string[]>;
  readonly memory: LoadedMemory;
  readonly limits: ModelLimits;
  readonly turns: TurnLimits;
}

type Work<T> = (engine: Engine, signal: AbortSignal) => Promise<T>;

const NEVER = new AbortController().signal;

export class Model implements Tenant {
  readonly spec: ModelSpec;
  usedAt = 0;
  #engine: Engine | undefined;
  #busy = 0;
  #onIdle: (() => void)[] = [];
  readonly #turns: Turns;
  readonly #around: ModelSurroundings;
  readonly #life: Life;
  readonly #figures = { loads: 0, evictions: 0, crashes: 0, requests: {} as Record<string, number>, seconds: 0 };

  constructor(spec: ModelSpec, around: ModelSurroundings) {
    this.spec = spec;
    this.#around = around;
    this.#turns = new Turns(around.turns);
    const { clock, log, limits } = around;
    this.#life = new Life({
      ...{ id: spec.id, clock, log, limits },
      load: () => this.#load(),
      warm: () => this.#warm(),
      unload: () => this.#unload(),
      isBusy: () => this.isBusy,
      forget: () => this.#forget(),
    });
  }

  get id(): string {
    return this.spec.id;
  }

  get isBusy(): boolean {
    return this.#busy > 0;
  }

  get isReady(): boolean {
    return this.#life.state === 'ready';
  }

  /** Runs `work` on the loaded model, in the caller's turn. @throws Fault MODEL_NOT_INSTALLED, MODEL_FAILED, MODEL_BUSY, MODEL_SHARE, CANCELLED, ACTOR_LOST */
  async run<T>(caller: string, signal: AbortSignal, work: Work<T>, waitMs?: number): Promise<T> {
    const { clock } = this.#around;
    const beganAt = clock.monotonic();
    let outcome = 'ok';
    try {
      return await patiently(clock, waitMs, signal, (waiting, begun) =>
        this.#turns.run(caller, waiting, async () => this.#work(begun(await this.#ready(waiting)), signal, work)),
      );
    } catch (error) {
      outcome = error instanceof Fault ? error.code : 'INTERNAL';
      throw error;
    } finally {
      this.#figures.requests[outcome] = (this.#figures.requests[outcome] ?? 0) + 1;
      this.#figures.seconds += (clock.monotonic() - beganAt) / 1_000;
    }
  }

  /** @throws Fault MODEL_NOT_INSTALLED, MODEL_FAILED */
  async revision(): Promise<string> {
    if (this.#engine) return this.#engine.revision;
    await this.#requireFiles();
    return this.#around.revision(this.spec);
  }

  settled(): Promise<void> {
    return this.#life.until(['ready', 'absent', 'failed']);
  }

  async evict(): Promise<boolean> {
    if (!this.isReady) return false;
    this.#figures.evictions += 1;
    this.#life.evict();
    await this.settled();
    return true;
  }

  async status(): Promise<ModelStatus> {
    const { id, task, engine, languages } = this.spec;
    const { state } = this.#life;
    return {
      ...{ id, task, engine, languages, state },
      missing: this.#engine ? [] : await this.#around.missing(this.spec),
      ...(state === 'failed' && { problem: failureOf(this.#life.problem).detail ?? 'it could not be loaded; the log says why' }),
      ...(this.#engine && { revision: this.#engine.revision }),
      memoryMb: Math.round(this.#engine?.memoryMb ?? 0),
      requests: this.#turns.running + this.#turns.waiting,
      figures: structuredClone(this.#figures) as ModelFigures,
    };
  }

  /** Ends its process, whatever runs. */
  async close(): Promise<void> {
    this.#life.stop();
    const engine = this.#engine;
    // Its end is meant now, and no crash.
    this.#engine = undefined;
    await engine?.close();
  }

  async #load(): Promise<void> {
    const { memory, open, estimate, clock, log } = this.#around;
    const beganAt = clock.monotonic();
    await memory.admit(this, await estimate(this.spec));
    try {
      const engine = await open(this.spec, this.#around);
      this.#engine = engine;
      const fits = memory.correct(this, engine.memoryMb);
      this.#figures.loads += 1;
      engine.lost.then((cause) => this.#engine === engine && this.#crashed(cause));
      const figures = { model: this.id, memory_mb: Math.round(engine.memoryMb), ms: Math.round(clock.monotonic() - beganAt) };
      log[fits ? 'info' : 'warn'](figures, fits ? 'the model is loaded' : 'the model is loaded, and takes more memory than [ai] max_memory_mb allows');
    } catch (error) {
      memory.release(this);
      throw error;
    }
  }

  /** The first run of a graph is slow: it allocates and compiles. */
  async #warm(): Promise<void> {
    if (this.spec.task === 'embedding') await this.#engine?.embed(['warm up'], 'query', NEVER);
  }

  async #unload(): Promise<void> {
    if (this.#busy > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    this.#around.log.info({ model: this.id }, 'the model is unloaded');
  }

  #crashed(cause: unknown): void {
    this.#figures.crashes += 1;
    this.#around.log.error({ model: this.id, cause: String(cause) }, 'the process of the model ended');
    // While it is warming or draining, what it does there fails or ends.
    this.#life.lost(new Fault('MODEL_FAILED', { detail: `the process of the model ${this.id} has crashed too often`, cause }));
  }

  #forget(): void {
    this.#around.memory.release(this);
    void this.#engine?.close();
    this.#engine = undefined;
  }

  async #work<T>(engine: Engine, signal: AbortSignal, work: Work<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work(engine, signal);
    } finally {
      this.#busy -= 1;
      this.usedAt = this.#around.clock.monotonic();
      // The keep-alive begins when the work has ended.
      if (this.isReady) this.#life.use();
      if (this.#busy === 0) for (const idle of this.#onIdle.splice(0)) idle();
    }
  }

  async #ready(signal: AbortSignal): Promise<Engine> {
    for (;;) {
      if (this.#life.state === 'failed') throw failureOf(this.#life.problem);
      await this.#requireFiles();
      if (signal.aborted) throw new Fault('CANCELLED');
      this.#life.use();
      await this.#life.until(['ready', 'failed', 'absent'], signal);
      if (this.isReady && this.#engine) return this.#engine;
    }
  }

  async #requireFiles(): Promise<void> {
    const missing = this.#engine ? [] : await this.#around.missing(this.spec);
    if (missing.length > 0) throw new Fault('MODEL_NOT_INSTALLED', { detail: `the model ${this.id} cannot be loaded: ${missing.join('; ')}` });
  }
}

/** What a client may know of it. */
function failureOf(problem: unknown): Fault {
  return problem instanceof Fault && problem.code.startsWith('MODEL_') ? problem : new Fault('MODEL_FAILED', { cause: problem });
}
