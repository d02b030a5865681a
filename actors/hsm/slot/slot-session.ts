// The sessions of a slot in which its calls run, and their recovery: handles looked up again, a new session, a new login, then the slot is unavailable.
import type pkcs11js from 'pkcs11js';
import type { HsmAnswer, HsmQuirks, TokenKeyName } from '../api.ts';
import { MechanismMissing } from '../token/mechanism.ts';
import { PinWanted } from '../token/pin-wanted.ts';
import { isStaleObject, isStaleSession, nameOf } from '../token/return-value.ts';
import type { Token } from '../token/token.ts';
import { failureOf, isExpected } from '../work/expected-error.ts';
import type { Job } from '../work/job.ts';
import { Parts } from '../work/parts.ts';
import { TurnQueue } from '../work/turn-queue.ts';
import { AT_ONCE, GIVEN_UP, type Turn } from '../work/turns.ts';
import { changedName, doWork, isLong, isLookup, usedKey, type Work, type WorkName, type WorkValue } from '../work/work.ts';
import { type Desk, NoSession, SessionSpoiled } from './desk.ts';
import { KeyLookup, type Refused } from './key-lookup.ts';
import type { SlotDesks } from './slot-desks.ts';
import { SlotToken } from './slot-token.ts';
import type { SlotWatch } from './slot-watch.ts';

/** A call asks so often for a login that others lose before its turn. */
const MAX_TURNS = 3;

/** What of the instance a slot needs. */
export interface SlotHost {
  /** The library, once the slot is logged in. @throws Error that says why the slot cannot be used */
  ready(watch: SlotWatch): Promise<pkcs11js.PKCS11>;
  /** The same; undefined if there is anything to wait for, or the slot cannot be used. */
  atHand(watch: SlotWatch): pkcs11js.PKCS11 | undefined;
}

interface SlotSessionOptions {
  readonly watch: SlotWatch;
  readonly host: SlotHost;
  /** Milliseconds. */
  readonly monotonic: () => number;
  readonly quirks?: HsmQuirks;
  /** Other threads for the calls of the slot; without them all run in this one. */
  readonly desks?: SlotDesks | undefined;
  /** Told of a key that is not the one that had the name before. */
  onReplaced?(key: TokenKeyName, slot: number): void;
}

export class SlotSession {
  readonly #watch: SlotWatch;
  readonly #host: SlotHost;
  readonly #isOneAtATime: boolean;
  readonly #searchesInTurn: boolean;
  readonly #desks: SlotDesks | undefined;
  readonly #own: SlotToken;
  readonly keys: KeyLookup;
  /** Of long calls, of searches where the token wants it, and of all where it does one at a time. */
  readonly #queue = new TurnQueue();
  readonly parts: Parts;

  constructor({ watch, host, monotonic, quirks = {}, desks, onReplaced = () => {} }: SlotSessionOptions) {
    this.parts = new Parts(monotonic, watch.sessions);
    this.#isOneAtATime = quirks.oneAtATime === true;
    this.#searchesInTurn = this.#isOneAtATime || quirks.searchesInTurn === true;
    this.#own = new SlotToken(watch, quirks, monotonic, (key) => onReplaced(key, watch.number));
    this.#watch = watch;
    this.#host = host;
    this.#desks = desks;
    const run = <T>(job: Job<T>, turn: Turn) => (job.hasTurn ? this.#attempt(job, turn) : this.#inTurn(job, turn));
    this.keys = new KeyLookup({ own: this.#own, watch, hasThreads: () => desks?.isOpen === true, run });
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
  do<N extends WorkName>(work: Work<N>, turn: Turn = AT_ONCE): HsmAnswer<WorkValue<N>> | Promise<HsmAnswer<WorkValue<N>>> {
    const job = { work: work as Work, key: usedKey(work as Work), here: (token: Token) => doWork(token, work) };
    if (job.key && this.#desks?.takesUses !== true) return turn.next(() => this.#atOnce(job, turn));
    const done = work.name === 'destroy' ? this.#destroy(work.args[0] as TokenKeyName, () => this.#inTurn(job, turn)) : this.#inTurn(job, turn);
    const name = changedName(work as Work);
    return name === undefined ? done : done.finally(() => this.#own.marks.forget(name));
  }

  /** A use of a key whose handle is known, without a promise: a use has a dozen on the other way, which cost a quarter of it. */
  #atOnce<T>(job: Job<T>, turn: Turn): HsmAnswer<T> | Promise<HsmAnswer<T>> {
    const library = this.#host.atHand(this.#watch);
    if (!library || (this.#isOneAtATime && this.#queue.isBusy) || !this.keys.isKnown(job)) return this.#inTurn(job, turn);
    if (!turn.isAwaited()) return GIVEN_UP;
    try {
      const token = this.#own.token(library);
      return { ok: true, value: turn.time(() => job.here(token)) };
    } catch (error) {
      return this.#isWorthAgain(error, library, undefined, job) ? this.#inTurn({ ...job, isAgain: true }, turn) : { ok: false, failure: failureOf(error) };
    }
  }

  /** What the key has wrapped goes first. */
  async #destroy<T>(key: TokenKeyName, work: () => Promise<T>): Promise<T> {
    await this.keys.giveUpWrappedBy(key);
    return this.#desks?.isOpen ? this.#own.handles.destroying(key, work) : work();
  }

  async #inTurn<T>(job: Job<T>, turn: Turn): Promise<HsmAnswer<T>> {
    const elsewhere = this.#desks?.isOpen ? job.work?.name : undefined;
    const isLongOne = elsewhere !== undefined && (isLong(elsewhere) || (this.#searchesInTurn && isLookup(elsewhere)));
    if (!isLongOne && !(this.#isOneAtATime && this.#queue.isBusy)) return this.#attempt(job, turn);
    const end = await this.#queue.enter();
    try {
      return await this.#attempt({ ...job, hasTurn: true }, turn);
    } finally {
      end();
    }
  }

  async #attempt<T>(job: Job<T>, turn: Turn): Promise<HsmAnswer<T>> {
    for (let attempt = job.isAgain ? 1 : 0, spoiled = 0, isHere = this.#own.pinUses.has(job.key); ; attempt++) {
      const desk = isHere ? undefined : this.#desks?.deskFor(job.work, this.#queue.isBusy && !this.#searchesInTurn);
      let turns = 0;
      let library: pkcs11js.PKCS11;
      do {
        const prepared = await this.#prepare(job, desk, turn);
        if ('ok' in prepared) return prepared;
        library = prepared.library;
      } while (
        // Calls that arrive together are ready together: one that was slow makes the others wait, and may have found that the session has ended.
        (!desk && turn.pause()) ||
        this.keys.leaving(job) ||
        (this.#watch.problem !== undefined && turns++ < MAX_TURNS)
      );
      if (this.#watch.problem !== undefined) return { ok: false, failure: this.#watch.unavailable(this.#watch.problem) };
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
        // This thread has a session and the PIN: others wait for it, and the call is not refused.
        isHere ||= error instanceof NoSession || error instanceof PinWanted;
        if (error instanceof NoSession || (error instanceof SessionSpoiled && spoiled++ < MAX_TURNS)) {
          attempt -= 1;
          continue;
        }
        if (!this.#isWorthAgain(error, library, desk, job) || attempt > 0) return { ok: false, failure: failureOf(error) };
      }
    }
  }

  /** Gives up what the error says is gone. */
  #isWorthAgain(error: unknown, library: pkcs11js.PKCS11, desk: Desk | undefined, { key }: Job<unknown>): boolean {
    if (!isExpected(error) && !desk) this.#own.drop();
    if (isStaleObject(error)) this.#own.handles.clear();
    if (isStaleSession(error) && !desk) this.#watch.close();
    if (error instanceof PinWanted) return key !== undefined && this.#own.pinUses.add(key);
    return isStaleObject(error) || isStaleSession(error) || (error instanceof MechanismMissing && this.#own.learn(library));
  }

  /** @returns the library, with which the call may begin if that has not changed, or why it cannot */
  async #prepare(job: Job<unknown>, desk: Desk | undefined, turn: Turn): Promise<{ readonly library: pkcs11js.PKCS11 } | Refused> {
    try {
      if (desk) await desk.prepare();
      for (let slow = desk ? undefined : turn.pause(); slow; slow = turn.pause()) await slow;
      const library = await this.#host.ready(this.#watch);
      // Most keys are known, and each promise costs.
      return (this.keys.isKnown(job) ? undefined : await this.keys.find(job, turn)) ?? { library };
    } catch (error) {
      return { ok: false, failure: this.#watch.unavailable(nameOf(error)) };
    }
  }

  async #at(desk: Desk, work: Work): Promise<unknown> {
    const key = usedKey(work);
    const bytes = key && this.#own.handles.get(key);
    const { checks } = this.#own;
    const handle = key && bytes && { key, bytes: new Uint8Array(bytes), isDue: checks.isDue(key) };
    const { sessions } = this.#watch;
    // An unwrapped key stays as long as somebody calls for it.
    const home = key?.wrapped ? this.#own.unwrapped.session : undefined;
    if (home) sessions.lend(home);
    try {
      const done = await this.#own.handles.using(key, () => desk.run(work, { mechanisms: this.#own.mechanisms, handle }));
      if (handle?.isDue) checks.done(handle.key);
      return done;
    } finally {
      if (home) sessions.takeBack(home);
    }
  }

  /** The mechanisms that the token reports now. */
  mechanisms(): Promise<HsmAnswer<ReadonlySet<number>>> {
    return this.run(({ library }) => {
      this.#own.learn(library);
      return this.#own.mechanisms;
    });
  }
}
