// Runs all actors of the server: builds cells and lanes from the specs, starts the actors in order, connects them, and stops them in reverse order.
import { availableParallelism } from 'node:os';
import { type AnySpec, DEFAULT_RESTART, type RefOf } from '../actor.ts';
import type { DataKeyPurpose } from '../data-key-row.ts';
import { Cell } from './cell.ts';
import { Deadlines } from './deadlines.ts';
import type { HostTask, Incarnation } from './incarnation.ts';
import { Lane } from './lane.ts';
import { Links } from './links.ts';
import { BesideParts } from './open-beside.ts';
import type { CallObserver } from './pending.ts';
import { startProcess } from './process.ts';
import { keysOf, refOver } from './refs.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { Slot } from './slot.ts';
import { startThread } from './thread.ts';

/** One actor of the specs, with everything that runs for it. */
export interface Group {
  readonly name: string;
  readonly spec: AnySpec;
  readonly cells: readonly Cell[];
  readonly lanes: readonly Lane[];
  readonly ref: unknown;
  readonly observe: CallObserver;
}

const DEFAULT_MAX_QUEUE = 1024;
const DEFAULT_MEMORY_MB = 256;
/** How long a call waits for an actor whose deadline limits the work only. */
const WAIT_MS = 10_000;

/** Number of threads for CPU work: one per core. */
export const cores = availableParallelism();

export class Runtime {
  readonly groups = new Map<string, Group>();
  readonly #options: RuntimeOptions;
  readonly #links: Links;
  readonly #beside: BesideParts;

  constructor(specs: Readonly<Record<string, AnySpec>>, options: RuntimeOptions) {
    this.#options = options;
    this.#links = new Links(specs);
    this.#beside = new BesideParts(options);
    for (const [name, spec] of Object.entries(specs)) this.groups.set(name, this.#group(name, spec, specs));
  }

  ref<S extends AnySpec>(name: string): RefOf<S> {
    return this.groups.get(name)?.ref as RefOf<S>;
  }

  /** Purposes of the data keys of all actors that run and are not background actors. */
  get dataKeys(): DataKeyPurpose[] {
    const isRunning = ({ spec, cells }: Group) => spec.start !== 'background' && cells.every(({ state }) => state === 'running');
    return [...this.groups.values()].flatMap((group) => (isRunning(group) ? (group.spec.dataKeys ?? []) : []));
  }

  /** Starts all actors in order, without waiting for background actors. Rejects with the first failed start. */
  async start(): Promise<void> {
    for (const { cells, spec } of this.groups.values()) {
      const starting = Promise.all(cells.map((cell) => cell.start()));
      if (spec.start === 'background') starting.catch(() => {});
      else await starting;
    }
    for (const group of this.groups.values()) await this.#beside.open(group);
  }

  /** Waits for running calls, and stops the actors in reverse order. */
  async stop(): Promise<void> {
    await this.#beside.close();
    for (const { cells, lanes } of [...this.groups.values()].reverse()) {
      await Promise.all(lanes.map((lane) => lane.drain(this.#options.stopMs)));
      await Promise.all(cells.map((cell) => cell.stop()));
    }
  }

  /** For tests: moves the clock of every thread and process by `ms`, and fires the timers that are due. */
  async advance(ms: number): Promise<void> {
    const { clock } = this.#options;
    Atomics.add(clock.offset, 0, BigInt(ms));
    clock.moved();
    const running = [...this.groups.values()].flatMap(({ cells }) => cells).flatMap(({ incarnation }) => incarnation ?? []);
    await Promise.all(running.map((incarnation) => this.#tellClock(incarnation)));
  }

  async #tellClock({ line, lost }: Incarnation): Promise<void> {
    let unlisten = () => {};
    const moved = new Promise<void>((resolve) => {
      unlisten = line.onControl(({ kind }) => {
        if (kind === 'moved') resolve();
      });
    });
    line.control({ kind: 'clock', offset: Number(this.#options.clock.offset[0]) });
    await Promise.race([moved, lost]);
    unlisten();
  }

  #group(name: string, spec: AnySpec, specs: Readonly<Record<string, AnySpec>>): Group {
    const keys = keysOf(spec);
    const cells = keys.map((key) => this.#cell(name, key, spec, specs));
    const slots = cells.map(({ slot }) => slot);
    const maxQueue = spec.maxQueue ?? DEFAULT_MAX_QUEUE;
    const perSlot = spec.kind === 'replicated' ? (spec.prefetch ?? 1) : maxQueue;
    const { clock } = this.#options;
    const observe = this.#options.observe(name);
    const lane = (own: readonly Slot[]) =>
      new Lane(own, {
        deadlineMs: spec.onDeadline === 'kill' ? Math.max(spec.deadlineMs, WAIT_MS) : spec.deadlineMs,
        maxQueue,
        perSlot,
        clock,
        observe,
      });
    const lanes = spec.kind === 'replicated' ? [lane(slots)] : slots.map((slot) => lane([slot]));
    return { name, spec, cells, lanes, ref: refOver(name, spec, keys, lanes), observe };
  }

  #cell(name: string, key: string, spec: AnySpec, specs: Readonly<Record<string, AnySpec>>): Cell {
    const { clock, log, stopMs, versions } = this.#options;
    // A lost writer may not have incremented its last version counters, so all cached rows are invalidated.
    const distrust = () => {
      if (spec.store) versions.bumpAll();
    };
    return new Cell({
      name,
      key,
      slot: new Slot(spec.onDeadline === 'kill' ? new Deadlines(spec.deadlineMs, clock) : undefined),
      policy: spec.restart ?? DEFAULT_RESTART,
      clock,
      log,
      killLate: spec.onDeadline === 'kill',
      stopMs,
      launch: async () => this.#launch(await this.#task(name, key, spec, specs), spec),
      onRunning: (cell) => this.#links.join(cell),
      onLost: (cell) => {
        this.#links.leave(cell);
        distrust();
      },
      // An ended thread may still finish a commit after its loss is known.
      onGone: distrust,
      onFailed: () => {
        for (const lane of this.groups.get(name)?.lanes ?? []) lane.refuseWaiting();
      },
      onSealed: (cell) => {
        for (const lane of this.groups.get(name)?.lanes ?? []) lane.refuseWaiting();
        // This rejects if the server stops before the key server is unsealed.
        this.#options.unsealed?.().then(
          () => cell.unseal(),
          () => {},
        );
      },
    });
  }

  #launch(task: HostTask, spec: AnySpec): Promise<Incarnation> {
    const { clock, versions } = this.#options;
    const memoryMb = spec.memoryMb ?? DEFAULT_MEMORY_MB;
    const isolated = spec.kind === 'pinned' ? spec.isolated?.[task.key] : undefined;
    if (isolated) return startProcess(task, { memoryMb, env: isolated.env, offset: Number(clock.offset[0]) });
    return startThread(task, { memoryMb, nice: spec.nice ?? 0, offset: clock.offset, versions: versions.memory });
  }

  async #task(name: string, key: string, spec: AnySpec, specs: Readonly<Record<string, AnySpec>>): Promise<HostTask> {
    const peers = Object.fromEntries(
      (spec.peers ?? []).map((peer) => {
        const other = specs[peer] as AnySpec;
        return [peer, { keys: keysOf(other), deadlineMs: other.deadlineMs, maxQueue: other.maxQueue ?? DEFAULT_MAX_QUEUE }];
      }),
    );
    const args: unknown = spec.kind === 'pinned' ? spec.instances[key] : spec.args;
    const { store, node, dataKey, adopts } = this.#options;
    const purposes = spec.dataKeys ?? [];
    const dataKeys: Record<string, Uint8Array> = {};
    try {
      for (const purpose of purposes) dataKeys[purpose] = await dataKey(purpose);
    } catch (error) {
      for (const bytes of Object.values(dataKeys)) bytes.fill(0);
      throw error;
    }
    const adopted = purposes.filter((purpose) => adopts?.(purpose));
    return { module: spec.module.href, name, key, args, peers, store: spec.store ? store : undefined, dataKeys, adopts: adopted, node };
  }
}
