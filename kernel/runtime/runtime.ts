// Runs all actors of the server: builds supervisors and mailboxes from the specs, starts the actors in order, connects them, and stops them in reverse order.
import { availableParallelism } from 'node:os';
import { type AnySpec, DEFAULT_RESTART, type RefOf } from '../actor.ts';
import type { DataKeyPurpose } from '../data-key-row.ts';
import type { SelfTest } from '../status.ts';
import { Deadlines } from './deadlines.ts';
import { Dispatcher } from './dispatcher.ts';
import type { HostTask, Incarnation } from './incarnation.ts';
import { Mailbox } from './mailbox.ts';
import { BesideParts } from './open-beside.ts';
import { PeerRouter } from './peer-router.ts';
import type { CallObserver } from './pending.ts';
import { startProcess } from './process.ts';
import { keysOf, refOver } from './refs.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { Supervisor } from './supervisor.ts';
import { startThread } from './thread.ts';

/** One actor of the specs, with everything that runs for it. */
export interface Group {
  readonly name: string;
  readonly spec: AnySpec;
  readonly supervisors: readonly Supervisor[];
  readonly mailboxes: readonly Mailbox[];
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
  readonly #peerRouter: PeerRouter;
  readonly #beside: BesideParts;

  constructor(specs: Readonly<Record<string, AnySpec>>, options: RuntimeOptions) {
    this.#options = options;
    this.#peerRouter = new PeerRouter(specs);
    this.#beside = new BesideParts(options);
    for (const [name, spec] of Object.entries(specs)) this.groups.set(name, this.#group(name, spec, specs));
  }

  ref<S extends AnySpec>(name: string): RefOf<S> {
    return this.groups.get(name)?.ref as RefOf<S>;
  }

  /** The self-tests of all threads that have reported one, and of the parts beside the front. */
  *selfTests(): Generator<readonly [actor: string, key: string, selfTest: SelfTest]> {
    for (const { name, supervisors } of this.groups.values()) {
      for (const { key, status } of supervisors) if (status?.selfTest) yield [name, key, status.selfTest];
      const beside = this.#beside.statusOf(name)?.selfTest;
      if (beside) yield [name, 'beside', beside];
    }
  }

  /** Purposes of the data keys of all actors that run and are not background actors. */
  get dataKeys(): DataKeyPurpose[] {
    const isRunning = ({ spec, supervisors }: Group) => spec.start !== 'background' && supervisors.every(({ state }) => state === 'running');
    return [...this.groups.values()].flatMap((group) => (isRunning(group) ? (group.spec.dataKeys ?? []) : []));
  }

  /** Starts all actors in order, without waiting for background actors. Rejects with the first failed start. */
  async start(): Promise<void> {
    for (const { supervisors, spec } of this.groups.values()) {
      const starting = Promise.all(supervisors.map((supervisor) => supervisor.start()));
      if (spec.start === 'background') starting.catch(() => {});
      else await starting;
    }
    for (const group of this.groups.values()) await this.#beside.open(group);
  }

  /** Waits for running calls, and stops the actors in reverse order. */
  async stop(): Promise<void> {
    await this.#beside.close();
    for (const { supervisors, mailboxes } of [...this.groups.values()].reverse()) {
      await Promise.all(mailboxes.map((mailbox) => mailbox.drain(this.#options.stopMs)));
      await Promise.all(supervisors.map((supervisor) => supervisor.stop()));
    }
  }

  /** For tests: moves the clock of every thread and process by `ms`, and fires the timers that are due. */
  async advance(ms: number): Promise<void> {
    const { clock } = this.#options;
    Atomics.add(clock.offset, 0, BigInt(ms));
    clock.fireDue();
    const running = [...this.groups.values()].flatMap(({ supervisors }) => supervisors).flatMap(({ incarnation }) => incarnation ?? []);
    await Promise.all(running.map((incarnation) => this.#tellClock(incarnation)));
  }

  async #tellClock({ channel, lost }: Incarnation): Promise<void> {
    let unlisten = () => {};
    const moved = new Promise<void>((resolve) => {
      unlisten = channel.onControl(({ kind }) => {
        if (kind === 'moved') resolve();
      });
    });
    channel.control({ kind: 'clock', offset: Number(this.#options.clock.offset[0]) });
    await Promise.race([moved, lost]);
    unlisten();
  }

  #group(name: string, spec: AnySpec, specs: Readonly<Record<string, AnySpec>>): Group {
    const keys = keysOf(spec);
    const supervisors = keys.map((key) => this.#supervisor(name, key, spec, specs));
    const dispatchers = supervisors.map(({ dispatcher }) => dispatcher);
    const maxQueue = spec.maxQueue ?? DEFAULT_MAX_QUEUE;
    const perDispatcher = spec.kind === 'replicated' ? (spec.prefetch ?? 1) : maxQueue;
    const { clock } = this.#options;
    const observe = this.#options.observe(name);
    const mailbox = (own: readonly Dispatcher[]) =>
      new Mailbox(own, {
        deadlineMs: spec.onDeadline === 'kill' ? Math.max(spec.deadlineMs, WAIT_MS) : spec.deadlineMs,
        maxQueue,
        perDispatcher: perDispatcher,
        clock,
        observe,
      });
    const mailboxes = spec.kind === 'replicated' ? [mailbox(dispatchers)] : dispatchers.map((dispatcher) => mailbox([dispatcher]));
    return { name, spec, supervisors: supervisors, mailboxes: mailboxes, ref: refOver(name, spec, keys, mailboxes), observe };
  }

  #supervisor(name: string, key: string, spec: AnySpec, specs: Readonly<Record<string, AnySpec>>): Supervisor {
    const { clock, log, stopMs, versions } = this.#options;
    // A lost writer may not have incremented its last version counters, so all cached rows are invalidated.
    const distrust = () => {
      if (spec.store) versions.bumpAll();
    };
    return new Supervisor({
      name,
      key,
      dispatcher: new Dispatcher(spec.onDeadline === 'kill' ? new Deadlines(spec.deadlineMs, clock) : undefined),
      policy: spec.restart ?? DEFAULT_RESTART,
      clock,
      log,
      killLate: spec.onDeadline === 'kill',
      stopMs,
      launch: async () => this.#launch(await this.#task(name, key, spec, specs), spec),
      onRunning: (supervisor) => this.#peerRouter.join(supervisor),
      onLost: (supervisor) => {
        this.#peerRouter.leave(supervisor);
        distrust();
      },
      // An ended thread may still finish a commit after its loss is known.
      onGone: distrust,
      onFailed: () => {
        for (const mailbox of this.groups.get(name)?.mailboxes ?? []) mailbox.refuseWaiting();
      },
      onSealed: (supervisor) => {
        for (const mailbox of this.groups.get(name)?.mailboxes ?? []) mailbox.refuseWaiting();
        // This rejects if the server stops before the key server is unsealed.
        this.#options.unsealed?.().then(
          () => supervisor.unseal(),
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
