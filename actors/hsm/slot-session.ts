// The sessions of a slot in which its calls run, and their recovery: handles looked up again, a new session, a new login, then the slot is unavailable.
import type pkcs11js from 'pkcs11js';
import type { HsmAnswer, HsmQuirks, TokenKeyName } from './api.ts';
import { type Desk, SessionSpoiled } from './desk.ts';
import { failureOf, isExpected } from './expected-error.ts';
import { MechanismMissing } from './mechanism.ts';
import { Parts } from './parts.ts';
import { isStaleObject, isStaleSession, nameOf } from './return-value.ts';
import type { SlotDesks } from './slot-desks.ts';
import { SlotToken } from './slot-token.ts';
import type { SlotWatch } from './slot-watch.ts';
import type { Token } from './token.ts';
import { TurnQueue } from './turn-queue.ts';
import { AT_ONCE, GIVEN_UP, type Turn } from './turns.ts';
import { doWork, isLong, usedKey, type Work, type WorkName, type WorkValue } from './work.ts';

/** A call asks so often for a login that others lose before its turn. */
const MAX_TURNS = 3;

/** What of the instance a slot needs. */
export interface SlotHost {
  /** The library, once the slot is logged in. @throws Error that says why the slot cannot be used */
  ready(watch: SlotWatch): Promise<pkcs11js.PKCS11>;
}

/** A call: work that may run in another thread, or in this one only. */
interface Job<T> {
  readonly work: Work | undefined;
  /** The key that it needs the handle of. */
  readonly key: TokenKeyName | undefined;
  here(token: Token): T;
  /** It has the turn of the slot's queue. */
  readonly hasTurn?: boolean;
}

type Refused = HsmAnswer<never> & { readonly ok: false };

interface SlotSessionOptions {
  readonly watch: SlotWatch;
  readonly host: SlotHost;
  /** Milliseconds. */
  readonly monotonic: () => number;
  readonly quirks?: HsmQuirks;
  /** Other threads for the calls of the slot; without them all run in this one. */
  readonly desks?: SlotDesks | undefined;
}

export class SlotSession {
  readonly #watch: SlotWatch;
  readonly #host: SlotHost;
  readonly #isOneAtATime: boolean;
  readonly #desks: SlotDesks | undefined;
  readonly #own: SlotToken;
  /** Of long calls, and of all where the token does one at a time. */
  readonly #queue = new TurnQueue();
  readonly parts: Parts;

  constructor({ watch, host, monotonic, quirks = {}, desks }: SlotSessionOptions) {
    this.parts = new Parts(monotonic, watch.sessions);
    this.#isOneAtATime = quirks.oneAtATime === true;
    this.#own = new SlotToken(watch, quirks);
    this.#watch = watch;
    this.#host = host;
    this.#desks = desks;
    watch.occupied = { stall: () => desks?.stall, isHeld: () => this.#isOneAtATime && desks?.isBusy === true };
  }

  /**
   * The work is one call that may run again: a token refuses a stale handle before it does anything. It must not await, because another call
   * of the slot would run in the same session.
   */
  run<T>(here: (token: Token) => T, turn: Turn = AT_ONCE, key?: TokenKeyName): Promise<HsmAnswer<T>> {
    return this.#inTurn({ work: undefined, key, here }, turn);
  }

  /** As `run`, in whichever thread suits the work. */
  do<N extends WorkName>(work: Work<N>, turn: Turn = AT_ONCE): Promise<HsmAnswer<WorkValue<N>>> {
    const job = { work: work as Work, key: usedKey(work as Work), here: (token: Token) => doWork(token, work) };
    if (work.name !== 'destroy' || !this.#desks?.isOpen) return this.#inTurn(job, turn);
    return this.#own.handles.destroying(work.args[0] as never, () => this.#inTurn(job, turn));
  }

  async #inTurn<T>(job: Job<T>, turn: Turn): Promise<HsmAnswer<T>> {
    const isLongOne = job.work !== undefined && isLong(job.work.name) && this.#desks?.isOpen;
    if (!isLongOne && !(this.#isOneAtATime && this.#queue.isBusy)) return this.#attempt(job, turn);
    const end = await this.#queue.enter();
    try {
      return await this.#attempt({ ...job, hasTurn: true }, turn);
    } finally {
      end();
    }
  }

  async #attempt<T>(job: Job<T>, turn: Turn): Promise<HsmAnswer<T>> {
    for (let attempt = 0, spoiled = 0; ; attempt++) {
      const desk = this.#desks?.deskFor(job.work);
      let turns = 0;
      let library: pkcs11js.PKCS11;
      do {
        const prepared = await this.#prepare(job, desk, turn);
        if ('ok' in prepared) return prepared;
        library = prepared.library;
      } while (
        // Calls that arrive together are ready together: one that was slow makes the others wait, and may have found that the session has ended.
        (!desk && turn.pause()) ||
        this.#leaving(job) ||
        (this.#watch.problem !== undefined && turns++ < MAX_TURNS)
      );
      if (this.#watch.problem !== undefined) return { ok: false, failure: { why: 'unavailable', text: this.#watch.problem } };
      if (!turn.isAwaited()) return GIVEN_UP;
      // The library was just initialised, and has told it.
      if (desk && !this.#desks?.isOpen) {
        attempt -= 1;
        continue;
      }
      try {
        const token = this.#own.token(library);
        return { ok: true, value: desk && job.work ? ((await this.#at(desk, job.work)) as T) : turn.time(() => job.here(token)) };
      } catch (error) {
        if (error instanceof SessionSpoiled && spoiled++ < MAX_TURNS) {
          attempt -= 1;
          continue;
        }
        if (!isExpected(error) && !desk) this.#own.drop();
        if (isStaleObject(error)) this.#own.handles.clear();
        if (isStaleSession(error) && !desk) this.#watch.close();
        const isWorthwhile = isStaleObject(error) || isStaleSession(error) || (error instanceof MechanismMissing && this.#own.learn(library));
        if (!isWorthwhile || attempt > 0) return { ok: false, failure: failureOf(error) };
      }
    }
  }

  /** @returns the library, with which the call may begin if that has not changed, or why it cannot */
  async #prepare(job: Job<unknown>, desk: Desk | undefined, turn: Turn): Promise<{ readonly library: pkcs11js.PKCS11 } | Refused> {
    try {
      if (desk) await desk.prepare();
      for (let slow = desk ? undefined : turn.pause(); slow; slow = turn.pause()) await slow;
      const library = await this.#host.ready(this.#watch);
      // Most keys are known, and each promise costs.
      return (this.#isKnown(job) ? undefined : await this.#findKey(job, turn)) ?? { library };
    } catch (error) {
      return { ok: false, failure: { why: 'unavailable', text: nameOf(error) } };
    }
  }

  /** The end of the destruction of the key that the call needs. One that has the turn goes first: that waits for the turn. */
  #leaving({ key, hasTurn }: Job<unknown>): Promise<unknown> | undefined {
    return key && !hasTurn ? this.#own.handles.leaving(key) : undefined;
  }

  /** Whether the handle of the key, if the call needs one, is there and may be used. */
  #isKnown(job: Job<unknown>): boolean {
    this.#own.renew();
    return !job.key || (this.#own.handles.has(job.key) && !this.#leaving(job));
  }

  /** Has another thread search for the key of a use, because a search may take long. @returns why there is none */
  async #findKey(job: Job<unknown>, turn: Turn): Promise<Refused | undefined> {
    const { key } = job;
    if (!key || !this.#desks?.isOpen) return undefined;
    for (let leaving = this.#leaving(job); leaving; leaving = this.#leaving(job)) await leaving;
    if (this.#isKnown(job)) return undefined;
    const { login } = this.#watch;
    const work: Work<'search'> = { name: 'search', args: [key], making: { isMade: false } };
    const search = { work: work as Work, key: undefined, here: (token: Token) => doWork(token, work) };
    const found = await (job.hasTurn ? this.#attempt(search, turn) : this.#inTurn(search, turn));
    if (!found.ok) return found;
    if (login === this.#watch.login && !this.#own.handles.leaving(key)) this.#own.handles.put(key, Buffer.from(found.value));
    return undefined;
  }

  async #at(desk: Desk, work: Work): Promise<unknown> {
    const key = usedKey(work);
    const bytes = key && this.#own.handles.get(key);
    const handle = key && bytes && { key, bytes: new Uint8Array(bytes) };
    return this.#own.handles.using(key, () => desk.run(work, { mechanisms: this.#own.mechanisms, handle }));
  }

  /** The mechanisms that the token reports now. */
  mechanisms(): Promise<HsmAnswer<ReadonlySet<number>>> {
    return this.run(({ library }) => {
      this.#own.learn(library);
      return this.#own.mechanisms;
    });
  }
}
