// Supervises one thread or process of an actor: starts its incarnations, attaches them to the dispatcher, and restarts them when they are lost.
import { type ActorRefFrom, createActor, fromPromise } from 'xstate';
import type { Timer } from '../../clock.ts';
import { describe } from '../../fault.ts';
import { writeTold } from '../../log/log-entry.ts';
import { isStatus, type Status } from '../../status.ts';
import { SPANS } from '../../tracing/span-outbox.ts';
import type { Dispatcher } from '../channel/dispatcher.ts';
import { endGracefully, type Incarnation } from '../channel/incarnation.ts';
import type { Control } from '../channel/messages.ts';
import { supervisorMachine } from './supervisor.machine.ts';
import type { SupervisorOptions } from './supervisor-options.ts';

/** `resting`: not started yet, because nothing has needed it. */
type SupervisorState = 'resting' | 'starting' | 'running' | 'sealed' | 'waiting' | 'failed' | 'stopping' | 'stopped';

const LONG_START_MS = 10_000;

export class Supervisor {
  readonly name: string;
  readonly key: string;
  readonly dispatcher: Dispatcher;
  /** The last status that the running incarnation has reported. */
  status: Status | undefined;
  /** Number of crashes since the start of the server. */
  restarts = 0;
  /** Number of starts, by which another thread says which incarnation it means. */
  launches = 0;
  /** Reason of the last loss or failed start, for the log and for a start of the server that fails. */
  lastCause: unknown;
  incarnation: Incarnation | undefined;
  #begun = false;
  #withinMs = 0;
  #launchedAt = 0;
  #launching: Promise<Incarnation> | undefined;
  readonly #options: SupervisorOptions;
  readonly #supervisor: ActorRefFrom<typeof supervisorMachine>;

  constructor(options: SupervisorOptions) {
    this.name = options.name;
    this.key = options.key;
    this.dispatcher = options.dispatcher;
    this.#options = options;
    this.#supervisor = this.#supervise();
    if (options.killLate) this.dispatcher.onLate = () => this.#replace();
  }

  get state(): SupervisorState {
    return this.#begun ? (this.#supervisor.getSnapshot().value as SupervisorState) : 'resting';
  }

  /** It starts, and not after a crash: for the first time, or because its thread was ended at a deadline. Nothing is amiss unless that takes long. */
  get isComing(): boolean {
    if (this.state !== 'starting') return false;
    const { crashes, misses, probation } = this.#supervisor.getSnapshot().context;
    return crashes.length === 0 && misses === 0 && !probation && this.#options.clock.monotonic() - this.#launchedAt < LONG_START_MS;
  }

  /** Settles when the first incarnation runs or waits for its data key. Rejects with the reason if the first start fails. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const watch = this.#supervisor.subscribe({
        next: ({ value }) => {
          if (value === 'starting') return;
          watch.unsubscribe();
          if (value === 'running' || value === 'sealed') resolve();
          else reject(this.lastCause ?? new Error(`${this.name}/${this.key} was stopped while it started`));
        },
        error: reject,
      });
      this.#begun = true;
      this.#supervisor.start();
    });
  }

  /** Call it when the data key can be opened. */
  unseal(): void {
    if (this.state === 'sealed') this.#supervisor.send({ type: 'unsealed' });
  }

  /** Ends the incarnation gracefully, or by force after this time. Settles when it is gone. */
  stop(withinMs = this.#options.stopMs): Promise<void> {
    this.#withinMs = withinMs;
    return new Promise((resolve) => {
      if (!this.#begun || this.#supervisor.getSnapshot().status !== 'active') return resolve();
      this.#supervisor.subscribe({ complete: resolve, error: () => resolve() });
      this.#supervisor.send({ type: 'stop' });
    });
  }

  #supervise() {
    const { policy, clock, log } = this.#options;
    const supervisor = createActor(
      supervisorMachine.provide({
        actors: { start: fromPromise(() => this.#launch()), stop: fromPromise(() => this.#end()) },
        actions: {
          onRunning: () => this.#attach(),
          onDown: () => this.#detach(),
          onFailed: () => this.#giveUp(),
          onSealed: () => this.#sealed(),
          onUnsealed: () => this.dispatcher.detach('its data key can be opened'),
          onCrash: (_, { cause }) => this.#noteCrash(cause),
        },
      }),
      { clock: clock as never, input: { policy, now: () => clock.monotonic() } },
    );
    // Without an error observer XState would throw into the main thread.
    supervisor.subscribe({ error: (error) => log.error({ error: describe(error) }, 'supervisor failed') });
    return supervisor;
  }

  async #launch(): Promise<void> {
    this.status = undefined;
    this.launches += 1;
    this.#launchedAt = this.#options.clock.monotonic();
    this.#launching = this.#options.launch();
    const incarnation = await this.#launching;
    this.incarnation = incarnation;
    incarnation.channel.onControl((message) => this.#hear(message));
    incarnation.gone.then(this.#options.onGone);
    incarnation.lost.then((cause) => {
      if (this.incarnation !== incarnation) return;
      this.lastCause = cause;
      this.#supervisor.send({ type: 'lost', cause });
    });
  }

  #attach(): void {
    const { incarnation } = this;
    if (!incarnation) return;
    this.dispatcher.attach(incarnation.channel);
    this.#options.onRunning(this);
  }

  #detach(): void {
    this.status = undefined;
    this.dispatcher.detach(this.lastCause ?? 'stopped');
    this.#options.onLost(this);
  }

  #noteCrash(cause: unknown): void {
    this.restarts += 1;
    this.lastCause = cause;
    this.incarnation = undefined;
    this.#options.log.error({ actor: this.name, key: this.key, cause: describe(cause) }, 'actor lost');
  }

  #giveUp(): void {
    this.dispatcher.detach(this.lastCause, 'failed');
    this.#options.log.error(
      { actor: this.name, key: this.key, retry_ms: this.#options.policy.retryMs },
      'the actor has crashed too often; its calls are refused until a restart succeeds',
    );
    this.#options.onFailed(this);
  }

  #sealed(): void {
    this.incarnation = undefined;
    this.dispatcher.detach('its data key cannot be opened', 'sealed');
    this.#options.onSealed(this);
  }

  /** A call ran past its deadline: ends the thread and starts another one. */
  #replace(): void {
    const late = this.incarnation;
    if (!late) return;
    this.incarnation = undefined;
    this.lastCause = 'its thread was ended at a deadline';
    this.#supervisor.send({ type: 'replace' });
    void late.kill();
  }

  async #end(): Promise<void> {
    const { clock, log } = this.#options;
    let timer: Timer | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = clock.setTimeout(() => resolve('late'), this.#withinMs);
    });
    const end = await Promise.race([this.#endGracefully(), late]);
    if (timer) clock.clearTimeout(timer);
    if (end !== 'late') return;
    log.warn({ actor: this.name, key: this.key }, 'the actor did not stop in time; it is killed');
    await this.incarnation?.kill();
  }

  async #endGracefully(): Promise<void> {
    if (!this.incarnation) {
      // It is still starting: end it as soon as it has started.
      const launched = await this.#launching?.catch(() => undefined);
      return launched?.kill();
    }
    await endGracefully(this.incarnation);
  }

  #hear(message: Control): void {
    if (message.kind === 'report' && isStatus(message['status'])) this.status = message['status'];
    if (message.kind === SPANS) this.#options.onSpans?.(message);
    if (message.kind === 'log') writeTold(this.#options.log, message, { actor: this.name, key: this.key });
  }
}
