// The threads beside that of an instance, each started with its first call and again after it was lost.
import type { ActorContext } from '../../../kernel/actor.ts';
import { type SideThread, startSideThread } from '../../../kernel/runtime/thread/child.ts';
import type { TokenThreadApi, TokenThreadArgs } from './token-thread.actor.ts';

const MODULE = new URL('./token-thread.actor.ts', import.meta.url);
const MEMORY_MB = 256;
/** Calls that one thread may have; those to the instance are limited before. */
const MAX_QUEUE = 65_536;

export type TokenSide = SideThread<TokenThreadApi>;

export interface TokenThreadOptions extends TokenThreadArgs {
  readonly prefix: string;
  /** Milliseconds after which a call counts as one that does not return. */
  readonly deadlineMs: number;
  /** A call has not returned in that time. */
  onStall(): void;
}

/** Those of a slot; each starts when it is first needed. */
export interface SlotThreads {
  readonly long: TokenThread;
  readonly lookups: TokenThread;
}

/** Those of an instance. */
export class TokenThreads {
  /** For uses of keys; none if the thread of the instance does these itself. */
  readonly forUses: readonly TokenThread[];
  readonly #ofSlots: ReadonlyMap<number, SlotThreads>;

  constructor(options: TokenThreadOptions, slots: readonly number[], uses: number, ctx: Pick<ActorContext, 'clock' | 'log'>) {
    this.forUses = uses === 1 ? [] : Array.from({ length: uses }, (_, at) => new TokenThread(options, String(at), ctx));
    const thread = (name: string) => new TokenThread(options, name, ctx);
    this.#ofSlots = new Map(slots.map((slot) => [slot, { long: thread(`slot ${slot}`), lookups: thread(`slot ${slot} lookups`) }]));
  }

  forSlot(slot: number): SlotThreads {
    return this.#ofSlots.get(slot) as SlotThreads;
  }

  isBusy(): boolean {
    return this.#all().some(({ busy }) => busy > 0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((thread) => thread.stop()));
  }

  #all(): TokenThread[] {
    return [...this.forUses, ...[...this.#ofSlots.values()].flatMap(({ long, lookups }) => [long, lookups])];
  }
}

/** One thread. */
export class TokenThread {
  readonly #start: () => Promise<TokenSide>;
  readonly #deadlineMs: number;
  readonly onStall: () => void;
  #starting: Promise<TokenSide> | undefined;
  #running: TokenSide | undefined;

  constructor({ prefix, library, quirks, deadlineMs, onStall }: TokenThreadOptions, name: string, ctx: Pick<ActorContext, 'clock' | 'log'>) {
    const args: TokenThreadArgs = { library, quirks };
    const identity = { module: MODULE, name: 'hsm_thread', key: `${prefix} ${name}`, args };
    this.#start = () => startSideThread<TokenThreadApi>({ ...identity, memoryMb: MEMORY_MB, deadlineMs, maxQueue: MAX_QUEUE, clock: ctx.clock, log: ctx.log });
    this.#deadlineMs = deadlineMs;
    this.onStall = onStall;
  }

  /** The thread, which is started if there is none. @throws why it cannot start */
  ready(): Promise<TokenSide> {
    this.#starting ??= this.#begin();
    return this.#starting;
  }

  async #begin(): Promise<TokenSide> {
    const end = () => {
      this.#starting = undefined;
      this.#running = undefined;
    };
    try {
      const side = await this.#start();
      this.#running = side;
      void side.lost.then(end);
      return side;
    } catch (error) {
      end();
      throw error;
    }
  }

  get running(): TokenSide | undefined {
    return this.#running;
  }

  /** Calls in it, and those that wait there. */
  get busy(): number {
    return this.#running?.busy() ?? 0;
  }

  /** What to tell of a call that does not return; undefined if there is none. */
  get stall(): string | undefined {
    const overdue = this.#running?.overdue() ?? 0;
    return overdue === 0 ? undefined : `the token has not answered a call for more than ${this.#deadlineMs / 1_000} s`;
  }

  /** Ends the thread, unless it hangs in native code, in which case nothing ends it. */
  async stop(): Promise<void> {
    if (this.#running && this.busy === 0) await this.#running.stop();
  }
}
