// One front in a thread of its own, whichever incarnation of it runs: supervises it, and gives back what a lost one held.
import { MessageChannel } from 'node:worker_threads';
import type { Api, Remote } from '../actor.ts';
import type { LocalClock } from '../clock.ts';
import type { Log } from '../log/log-entry.ts';
import type { RestartPolicy } from '../restart-policy.ts';
import { openChannel } from '../runtime/channel/channel.ts';
import { Dispatcher } from '../runtime/channel/dispatcher.ts';
import { exposeApi } from '../runtime/channel/facade.ts';
import type { Incarnation } from '../runtime/channel/incarnation.ts';
import type { Control } from '../runtime/channel/messages.ts';
import { portWire } from '../runtime/channel/wires.ts';
import type { Caller } from '../runtime/mailbox/callers.ts';
import { Mailbox } from '../runtime/mailbox/mailbox.ts';
import { callWith, remoteOver } from '../runtime/mailbox/remote.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { Supervisor } from '../runtime/supervise/supervisor.ts';
import { startThread } from '../runtime/thread/thread.ts';
import { startBusyThread } from '../runtime/thread/young-space.ts';
import type { Versions } from '../versions.ts';
import type { FrontAddresses, FrontApi, FrontTask } from './front-task.ts';
import { type BoundPorts, REQUESTS_MS } from './ports.ts';

interface FrontMemberOptions {
  /** Number of the thread, from 1. */
  readonly thread: number;
  readonly clock: LocalClock;
  readonly log: Log;
  readonly versions: Versions;
  readonly runtime: Runtime;
  /** Takes the spans of the front, if anything is traced. */
  readonly onSpans: ((message: Control) => void) | undefined;
  /** What the front can ask this thread. */
  readonly kernel: Api;
  task(): Omit<FrontTask, 'pulse'>;
  /** A new incarnation runs, and has no open port yet. */
  onRunning(member: FrontMember): void;
  /** Gives back what an ended incarnation held. @returns false if that is not possible at the moment */
  giveBack(): Promise<boolean>;
}

const HOST = new URL('./front-thread.ts', import.meta.url);
/** It never gives up: without fronts nothing is served. */
const RESTART: RestartPolicy = Object.freeze({ max: 10_000, withinMs: 60_000, firstDelayMs: 50, maxDelayMs: 5_000, retryMs: 5_000 });
const STOP_MS = REQUESTS_MS + 5_000;
/** Limit of the JavaScript heap. Bodies and answers are outside of it. */
const MEMORY_MB = 1_024;
const ASK_MS = 30_000;
const MAX_CALLS = 1_000;
const AGAIN_MS = 50;

export class FrontMember {
  readonly thread: number;
  supervisor: Supervisor;
  /** The task that the running incarnation has got. */
  task: FrontTask | undefined;
  /** That of the incarnation which has opened its ports last. */
  #served: FrontTask | undefined;
  readonly #options: FrontMemberOptions;
  #remote!: Remote<FrontApi>;
  /** Settles when nothing is counted any more for the last incarnation. */
  #cleared: Promise<void> = Promise.resolve();

  constructor(options: FrontMemberOptions) {
    this.#options = options;
    this.thread = options.thread;
    this.supervisor = this.#supervise();
  }

  /** While it serves: what it loads before that blocks it for a while, and has a deadline. */
  get pulse(): SharedArrayBuffer | undefined {
    return this.supervisor.state === 'running' && this.#served === this.task ? this.task?.pulse : undefined;
  }

  /** Opens the ports of the running incarnation. @param at the ports, if another front has opened them already */
  async open(at: BoundPorts | null): Promise<FrontAddresses> {
    const { task } = this;
    const addresses = await this.ask().open(at);
    this.#served = task;
    return addresses;
  }

  /** @param deadlineMs time limit of the calls */
  ask(deadlineMs = ASK_MS): Remote<FrontApi> {
    return callWith(this.#remote, { deadlineMs });
  }

  async stop(): Promise<void> {
    await this.supervisor.stop();
    await this.#cleared;
  }

  /** Ends it after its running requests, and puts another in its place. */
  async replace(): Promise<void> {
    await this.stop();
    this.supervisor = this.#supervise();
    await this.supervisor.start();
  }

  #supervise(): Supervisor {
    const { clock, log, runtime, kernel, onRunning, onSpans } = this.#options;
    const dispatcher = new Dispatcher();
    const mailbox = new Mailbox([dispatcher], { deadlineMs: ASK_MS, maxQueue: MAX_CALLS, perDispatcher: MAX_CALLS, clock, observe: () => {} });
    this.#remote = remoteOver<FrontApi>(mailbox);
    const supervisor: Supervisor = new Supervisor({
      ...{ name: 'front', key: String(this.thread), dispatcher, policy: RESTART, clock, log, killLate: false, stopMs: STOP_MS, onSpans },
      launch: () => this.#launch(),
      onRunning: () => {
        giveKernel(supervisor, kernel);
        runtime.callers.join(caller);
        onRunning(this);
      },
      onLost: () => runtime.callers.leave(caller),
      onGone: () => {},
      onFailed: () => {},
      onSealed: () => {},
    });
    const caller: Caller = {
      supervisor,
      onChange({ name, key, state, status }) {
        supervisor.incarnation?.channel.control({ kind: 'state', name, key, state, status });
      },
    };
    return supervisor;
  }

  async #launch(): Promise<Incarnation> {
    const { clock, versions, task } = this.#options;
    await this.#cleared;
    this.task = { ...task(), pulse: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) };
    const host = { module: '', name: 'front', key: String(this.thread), args: this.task, peers: {}, store: undefined, dataKeys: {}, adopts: [] };
    const options = { host: HOST, memoryMb: MEMORY_MB, nice: 0, offset: clock.offset, versions: versions.memory };
    const { node } = this.task;
    const incarnation = await startBusyThread(() => startThread({ ...host, node }, options));
    this.#cleared = incarnation.gone.then(() => this.#clear());
    return incarnation;
  }

  async #clear(): Promise<void> {
    while (!(await this.#options.giveBack())) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Lets the running front ask this thread. */
function giveKernel({ incarnation }: Supervisor, kernel: Api): void {
  const { port1, port2 } = new MessageChannel();
  exposeApi(kernel, openChannel(portWire(port1)));
  incarnation?.give({ kind: 'kernel' }, port2);
}
