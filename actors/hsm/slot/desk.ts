// Where the calls on one slot run in another thread: it lends the thread a session of the slot, and takes it back.
import type pkcs11js from 'pkcs11js';
import { Fault } from '../../../kernel/fault.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import type { TokenKeyName } from '../api.ts';
import { isStaleObject, isStaleSession, returnValue } from '../token/return-value.ts';
import { isExpected } from '../work/expected-error.ts';
import type { LentWork, WorkResult } from '../work/token-thread.actor.ts';
import type { TokenSide, TokenThread } from '../work/token-threads.ts';
import type { Work, WorkName, WorkValue } from '../work/work.ts';
import { decodeError } from '../work/work-error.ts';
import type { SlotWatch } from './slot-watch.ts';

/** Nothing was done: the session was in the middle of another operation, or the thread was lost before. */
export class SessionSpoiled extends Error {}

/** Nothing was done: the token has no session more, as where it has few and operations in parts hold them. */
export class NoSession extends Error {}

let leases = 0;

export interface Lending {
  readonly mechanisms: ReadonlySet<number>;
  readonly handle: { readonly key: TokenKeyName; readonly bytes: Uint8Array; readonly isDue: boolean } | undefined;
}

export class Desk {
  readonly thread: TokenThread;
  readonly #watch: SlotWatch;
  #session: pkcs11js.Handle | undefined;
  #lease = 0;
  /** What the thread knows of the slot. */
  #told: { readonly side: unknown; readonly mechanisms: ReadonlySet<number> } | undefined;
  /** Sessions in which a call has not returned in time. */
  readonly #overdue: pkcs11js.Handle[] = [];

  constructor(thread: TokenThread, watch: SlotWatch) {
    this.thread = thread;
    this.#watch = watch;
  }

  /** Why the slot cannot be used: a call of it has not returned in time. */
  get stall(): string | undefined {
    const { stall } = this.thread;
    return this.#overdue.length > 0 ? stall : undefined;
  }

  /** Must have settled before each call, in which nothing may be awaited until the session is lent. */
  async prepare(): Promise<void> {
    await this.thread.ready();
    if (this.thread.stall === undefined) for (const session of this.#overdue.splice(0)) this.#watch.sessions.takeBack(session);
  }

  /** @throws SessionSpoiled, NoSession, what the work throws, and a Fault if the thread is lost or does not answer in time */
  async run<N extends WorkName>(work: Work<N>, lending: Lending): Promise<WorkValue<N>> {
    const { sessions } = this.#watch;
    const side = this.thread.running;
    // It was lost while the call waited for the token.
    if (!side) throw new SessionSpoiled();
    if (this.#session === undefined || !sessions.has(this.#session)) {
      this.#session = this.#open();
      this.#lease = ++leases;
    }
    const session = this.#session;
    const result = await this.#call(side, session, work, lending);
    if (result.ok) return result.value as WorkValue<N>;
    work.making.isMade = result.isMade;
    if (result.isSpoiled) {
      this.#drop(session);
      throw new SessionSpoiled();
    }
    const error = decodeError(result.error);
    // If the session has ended here too, the login was renewed since.
    if (isStaleSession(error) && sessions.has(session)) this.#watch.close();
    else if (!isExpected(error) && !isStaleObject(error)) this.#drop(session);
    throw error;
  }

  #open(): pkcs11js.Handle {
    try {
      return this.#watch.sessions.open();
    } catch (error) {
      if (isStaleSession(error)) this.#watch.close();
      throw returnValue(error) === CKR.SESSION_COUNT ? new NoSession() : error;
    }
  }

  async #call(side: TokenSide, session: pkcs11js.Handle, work: Work, { mechanisms, handle }: Lending): Promise<WorkResult> {
    const { sessions, number: slot } = this.#watch;
    sessions.lend(session);
    try {
      const isTold = this.#told?.side === side && this.#told.mechanisms === mechanisms;
      this.#told = { side, mechanisms };
      const lent: LentWork = { ...work, slot, session: new Uint8Array(session), lease: this.#lease, handle, ...(!isTold && { mechanisms: [...mechanisms] }) };
      const result = await side.remote.run(lent);
      sessions.takeBack(session);
      return result;
    } catch (error) {
      this.#drop(session);
      if (error instanceof Fault && error.code === 'DEADLINE') {
        this.#overdue.push(session);
        this.thread.onStall();
      } else sessions.takeBack(session);
      throw error;
    }
  }

  #drop(session: pkcs11js.Handle): void {
    if (this.#session === session) this.#session = undefined;
    this.#watch.sessions.close(session);
  }
}
