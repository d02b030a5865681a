// One place where calls of an actor are served: a line that comes and goes, and the calls under way on it.
import { performance } from 'node:perf_hooks';
import { transfer, wrap } from 'comlink';
import type { Reply } from '../fault.ts';
import type { Deadlines } from './deadlines.ts';
import type { Envelope } from './facade.ts';
import type { Line } from './line.ts';
import type { Pending } from './pending.ts';

/** `down`: starting or about to be restarted, calls may wait for it. `failed`, `sealed`: calls are refused. */
type SlotState = 'up' | 'down' | 'failed' | 'sealed';

const REFUSALS = { up: undefined, down: undefined, failed: 'UNAVAILABLE', sealed: 'KEY_SERVER_SEALED' } as const;

type Ask = (envelope: Envelope) => Promise<Reply>;

export class Slot {
  state: SlotState = 'down';
  /** Called when there may be room for another call. */
  onRoom: () => void = () => {};
  /** Called when a call ran into its deadline while it was served here. */
  onLate: () => void = () => {};
  readonly #inFlight = new Map<number, Pending>();
  /** Calls under way that only wait. */
  readonly #aside = new Set<number>();
  readonly #methods = new Map<string, Ask>();
  readonly #run: Deadlines | undefined;
  #line: Line | undefined;
  #proxy: Record<string, Ask> = {};
  #next = 1;
  /** When the actor last answered, or was given work while it had none. */
  #heardAt = 0;

  /** @param run the time limit of the work itself; without it the deadline of a call counts from its making */
  constructor(run?: Deadlines) {
    this.#run = run;
  }

  /** Calls under way, those whose caller has given up included: the actor is still busy with them. */
  get busy(): number {
    return this.#inFlight.size;
  }

  /** Calls under way that keep the actor from others. */
  get engaged(): number {
    return this.#inFlight.size - this.#aside.size;
  }

  /** The code of the fault that calls are refused with while nothing else can serve them; undefined where they are served or may wait. */
  get refusal(): (typeof REFUSALS)[SlotState] {
    return REFUSALS[this.state];
  }

  /** For how long the actor has had work and answered nothing, milliseconds. */
  silentFor(now: number): number {
    return this.engaged === 0 ? 0 : now - this.#heardAt;
  }

  /** Calls under way whose caller has given up. */
  get overdue(): number {
    let count = 0;
    for (const pending of this.#inFlight.values()) if (pending.settled) count++;
    return count;
  }

  attach(line: Line): void {
    if (this.#line) this.detach('replaced by a newer line');
    this.#line = line;
    this.#proxy = wrap(line.endpoint) as unknown as Record<string, Ask>;
    this.#methods.clear();
    line.onControl(({ kind, n }) => {
      if (kind !== 'aside' || this.#line !== line || !this.#inFlight.has(n as number)) return;
      this.#aside.add(n as number);
      this.onRoom();
    });
    this.state = 'up';
    this.onRoom();
  }

  serves(line: Line): boolean {
    return this.#line === line;
  }

  /** The line is gone: what was under way on it has an unknown outcome. */
  detach(cause: unknown, state: Exclude<SlotState, 'up'> = 'down'): void {
    this.#line = undefined;
    this.state = state;
    const lost = [...this.#inFlight.values()];
    this.#inFlight.clear();
    this.#aside.clear();
    for (const pending of lost) pending.fail('ACTOR_LOST', cause);
  }

  send(pending: Pending): void {
    const line = this.#line;
    if (!line) return pending.fail('ACTOR_LOST', 'no line');
    const n = this.#next++;
    if (this.engaged === 0) this.#heardAt = performance.now();
    this.#inFlight.set(n, pending);
    pending.onAbandoned = (code) => {
      line.control({ kind: 'cancel', n });
      if (code === 'DEADLINE') this.onLate();
    };
    pending.sent(this.#run);
    const envelope: Envelope = { n, requestId: pending.requestId, args: pending.args };
    const finish = (reply: Reply) => {
      if (!this.#inFlight.delete(n)) return;
      this.#aside.delete(n);
      this.#heardAt = performance.now();
      pending.answer(reply);
      this.onRoom();
    };
    this.#method(pending.method)(pending.transfer.length === 0 ? envelope : transfer(envelope, pending.transfer)).then(finish, (error: unknown) =>
      finish({ ok: false, fault: { code: 'INTERNAL', trace: String(error) }, ms: 0 }),
    );
  }

  /** Each property read of a Comlink proxy makes another proxy, so every method is read once. */
  #method(name: string): Ask {
    const known = this.#methods.get(name);
    if (known) return known;
    const ask = this.#proxy[name] as Ask;
    this.#methods.set(name, ask);
    return ask;
  }
}
