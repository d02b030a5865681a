// Runs all actors of the server: builds supervisors and mailboxes from the specs, starts the actors, connects them, and stops them in reverse order.
import { availableParallelism } from 'node:os';
import type { AnySpec, RefOf } from '../actor.ts';
import type { DataKeyPurpose } from '../keys/data-key-row.ts';
import { DEFAULT_RESTART } from '../restart-policy.ts';
import type { Status } from '../status.ts';
import type { HostTask } from './channel/incarnation.ts';
import type { CallObserver } from './channel/pending.ts';
import { Callers } from './mailbox/callers.ts';
import type { Mailbox } from './mailbox/mailbox.ts';
import { dispatcherOf, mailboxesOf, peersOf } from './mailbox/mailboxes.ts';
import { PeerRouter } from './mailbox/peer-router.ts';
import { keysOf, refOver } from './mailbox/refs.ts';
import { rests, startedKeys, startSoon, startTogether, startWhenNeeded } from './mailbox/starts.ts';
import { stopInTurn } from './mailbox/stop-in-turn.ts';
import { BesideParts } from './open-beside.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { Supervisor } from './supervise/supervisor.ts';
import type { SupervisorOptions } from './supervise/supervisor-options.ts';
import { tellClock } from './tell-clock.ts';
import { Launcher } from './thread/launch.ts';

/** One actor of the specs, with everything that runs for it. */
export interface Group {
  readonly name: string;
  readonly spec: AnySpec;
  readonly supervisors: readonly Supervisor[];
  readonly mailboxes: readonly Mailbox[];
  readonly ref: unknown;
  readonly observe: CallObserver;
}

/** Number of threads for CPU work: one per core. */
export const cores = availableParallelism();

export class Runtime {
  readonly groups = new Map<string, Group>();
  /** The fronts, which call the actors themselves. */
  readonly callers: Callers;
  readonly #options: RuntimeOptions;
  readonly #peerRouter: PeerRouter;
  readonly #beside: BesideParts;
  readonly #launcher: Launcher;
  #endStarts: () => void = () => {};

  constructor(specs: Readonly<Record<string, AnySpec>>, options: RuntimeOptions) {
    this.#options = options;
    this.#peerRouter = new PeerRouter(specs);
    this.callers = new Callers(this.#peerRouter, () => this.#supervisors);
    this.#beside = new BesideParts({ ...options, callees: this.groups, isTraced: options.onSpans !== undefined });
    this.#launcher = new Launcher(specs, options);
    for (const [name, spec] of Object.entries(specs)) this.groups.set(name, this.#group(name, spec, specs));
  }

  ref<S extends AnySpec>(name: string): RefOf<S> {
    return this.groups.get(name)?.ref as RefOf<S>;
  }

  /** @returns the last reported status of an actor, by key; undefined while it is not running */
  reported(actor: string): ReadonlyMap<string, Status | undefined> {
    return new Map(this.groups.get(actor)?.supervisors.map(({ key, status }) => [key, status]));
  }

  /** Purposes of the data keys of all actors that run and are not background actors. */
  get dataKeys(): DataKeyPurpose[] {
    return [...this.groups.values()].flatMap((group) => (rests(group.spec) ? [] : startedKeys(group)));
  }

  /**
   * Starts all actors, without waiting for background actors and those that start later. Rejects with the first failed start.
   * @param calls whether requests are served in this thread, so that parts of actors live beside it
   */
  async start(calls = true): Promise<void> {
    await startTogether([...this.groups.values()]);
    if (calls) for (const group of this.groups.values()) await this.#beside.open(group);
    this.#endStarts = startSoon(this.groups, this.#options);
  }

  /** Waits for running calls, and stops the actors in reverse order. */
  async stop(): Promise<void> {
    this.#endStarts();
    await this.#beside.close();
    await stopInTurn([...this.groups.values()].reverse(), this.#options);
  }

  /** For tests: moves the clock of every thread and process by `ms`, fires the timers that are due, and waits for what they do in the background. */
  async advance(ms: number): Promise<void> {
    const { clock } = this.#options;
    Atomics.add(clock.offset, 0, BigInt(ms));
    const fired = clock.fireDue();
    const tell = (supervisors: readonly Supervisor[]) =>
      Promise.all(supervisors.flatMap(({ incarnation }) => (incarnation ? [tellClock(incarnation, Number(clock.offset[0]))] : [])));
    // As the front in this thread does, the others first tell what would have been told long before.
    await tell(this.callers.supervisors);
    await Promise.all([fired, tell(this.#supervisors)]);
  }

  #group(name: string, spec: AnySpec, specs: Readonly<Record<string, AnySpec>>): Group {
    peersOf(name, spec, specs);
    const keys = keysOf(spec);
    const supervisors = keys.map((key) => this.#supervisor(name, key, spec, specs));
    startWhenNeeded(supervisors);
    const dispatchers = supervisors.map(({ dispatcher }) => dispatcher);
    const { clock, shared } = this.#options;
    const observe = this.#options.observe(name);
    const mailboxes = mailboxesOf(name, spec, dispatchers, { clock, observe, shared });
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
      dispatcher: dispatcherOf(spec, key, clock),
      policy: spec.restart ?? DEFAULT_RESTART,
      clock,
      log,
      onSpans: this.#options.onSpans,
      killLate: spec.onDeadline === 'kill',
      stopMs,
      launch: async () => this.#launcher.launch(await this.#task(name, key, spec, specs), spec),
      ...this.#listeners(name, distrust),
    });
  }

  /** @param distrust called when a thread may have written what it did not announce */
  #listeners(name: string, distrust: () => void) {
    const refuseWaiting = () => {
      for (const mailbox of this.groups.get(name)?.mailboxes ?? []) mailbox.refuseWaiting();
    };
    return {
      onRunning: (supervisor: Supervisor) => {
        this.#peerRouter.join(supervisor);
        this.callers.tell(supervisor);
        const group = this.groups.get(name);
        if (group && rests(group.spec)) this.#options.adopted?.(startedKeys(group, supervisor));
      },
      onReport: (supervisor: Supervisor) => this.callers.tell(supervisor),
      onLost: (supervisor: Supervisor) => {
        this.#peerRouter.leave(supervisor);
        distrust();
        this.callers.tell(supervisor);
      },
      // An ended thread may still finish a commit after its loss is known.
      onGone: distrust,
      onFailed: (supervisor: Supervisor) => {
        this.callers.tell(supervisor);
        refuseWaiting();
      },
      onSealed: (supervisor: Supervisor) => {
        this.callers.tell(supervisor);
        refuseWaiting();
        // This rejects if the server stops before the key server is unsealed.
        this.#options.unsealed?.().then(
          () => {
            supervisor.unseal();
            this.callers.tell(supervisor);
          },
          () => {},
        );
      },
    } satisfies Partial<SupervisorOptions>;
  }

  get #supervisors(): readonly Supervisor[] {
    return [...this.groups.values()].flatMap(({ supervisors }) => supervisors);
  }

  async #task(name: string, key: string, spec: AnySpec, specs: Readonly<Record<string, AnySpec>>): Promise<HostTask> {
    const args: unknown = spec.kind === 'pinned' ? spec.instances[key] : spec.args;
    const { store, node, dataKey, adopts, onSpans } = this.#options;
    const purposes = spec.dataKeys ?? [];
    const dataKeys: Record<string, Uint8Array> = {};
    try {
      for (const purpose of purposes) dataKeys[purpose] = await dataKey(purpose);
    } catch (error) {
      for (const bytes of Object.values(dataKeys)) bytes.fill(0);
      throw error;
    }
    const adopted = purposes.filter((purpose) => adopts?.(purpose));
    return {
      module: spec.module.href,
      name,
      key,
      args,
      peers: peersOf(name, spec, specs),
      store: spec.store ? store : undefined,
      dataKeys,
      adopts: adopted,
      ...{ node, isTraced: onSpans !== undefined },
    };
  }
}
