// The session of a slot in which its calls run, and its recovery: handles looked up again, a new session, a new login, then the slot is unavailable.
import type pkcs11js from 'pkcs11js';
import { CKM } from '../../kmip/pkcs11.ts';
import type { HsmAnswer, HsmFailure, HsmQuirks } from './api.ts';
import { KeyExists } from './key-store.ts';
import { MechanismMissing } from './mechanism.ts';
import { InputWrong } from './part-work.ts';
import { Parts, PartsEnded, PartsFull } from './parts.ts';
import { isStaleObject, isStaleSession, nameOf, returnValue } from './return-value.ts';
import type { SlotWatch } from './slot-watch.ts';
import { KeyAmbiguous, KeyMissing, Token } from './token.ts';

/** Object handles that are remembered for a slot. */
const MAX_HANDLES = 10_000;
/** A call asks so often for a login that others lose before its turn. */
const MAX_TURNS = 3;

/** What of the instance a slot needs. */
export interface SlotHost {
  /** The library, once the slot is logged in. @throws Error that says why the slot cannot be used */
  ready(watch: SlotWatch): Promise<pkcs11js.PKCS11>;
}

/** When a call may begin. */
export interface Turn {
  /** Settles when it may; undefined if it may now. */
  pause(): Promise<void> | undefined;
  /** Whether somebody still waits for it. */
  isAwaited(): boolean;
}

const AT_ONCE: Turn = { pause: () => undefined, isAwaited: () => true };
/** Nobody reads it. */
export const GIVEN_UP = { ok: false, failure: { why: 'unavailable', text: 'the caller has given up' } } as const;

export class SlotSession {
  readonly #watch: SlotWatch;
  readonly #host: SlotHost;
  readonly #quirks: HsmQuirks;
  readonly #handles = new Map<string, pkcs11js.Handle>();
  /** Mechanisms that the token reports, but does not have. */
  readonly #missing: ReadonlySet<number>;
  #session: pkcs11js.Handle | undefined;
  #mechanisms: ReadonlySet<number> = new Set();
  readonly parts: Parts;

  /** @param monotonic milliseconds */
  constructor(watch: SlotWatch, host: SlotHost, monotonic: () => number, quirks: HsmQuirks = {}) {
    this.parts = new Parts(monotonic);
    this.#quirks = quirks;
    this.#missing = new Set((quirks.missingMechanisms ?? []).map((name) => CKM[name] as number));
    this.#watch = watch;
    this.#host = host;
  }

  /**
   * The work is one call that may run again: a token refuses a stale handle before it does anything. It must not await, because another call
   * of the slot would run in the same session.
   */
  async run<T>(work: (token: Token) => T, { pause, isAwaited }: Turn = AT_ONCE): Promise<HsmAnswer<T>> {
    for (let attempt = 0, turn = 0; ; attempt++) {
      let library: pkcs11js.PKCS11;
      try {
        do {
          for (let slow = pause(); slow; slow = pause()) await slow;
          library = await this.#host.ready(this.#watch);
        } while (
          // Calls that arrive together are ready together: one that was slow makes the others wait, and may have found that the session has ended.
          pause() ||
          (this.#watch.problem !== undefined && turn++ < MAX_TURNS)
        );
      } catch (error) {
        return { ok: false, failure: { why: 'unavailable', text: nameOf(error) } };
      }
      if (this.#watch.problem !== undefined) return { ok: false, failure: { why: 'unavailable', text: this.#watch.problem } };
      if (!isAwaited()) return GIVEN_UP;
      try {
        return { ok: true, value: work(this.#token(library)) };
      } catch (error) {
        if (!isExpected(error)) this.#drop();
        const isStale = isStaleObject(error) || isStaleSession(error);
        if (isStaleSession(error)) this.#watch.close();
        const isWorthwhile = isStale || (error instanceof MechanismMissing && this.#learn(library));
        if (!isWorthwhile || attempt > 0) return { ok: false, failure: failureOf(error) };
      }
    }
  }

  /** The mechanisms that the token reports now. */
  mechanisms(): Promise<HsmAnswer<ReadonlySet<number>>> {
    return this.run(({ library }) => {
      this.#learn(library);
      return this.#mechanisms;
    });
  }

  #token(library: pkcs11js.PKCS11): Token {
    const { sessions } = this.#watch;
    if (this.#session === undefined || !sessions.has(this.#session)) {
      this.#handles.clear();
      this.#session = sessions.open();
      this.#learn(library);
    }
    if (this.#handles.size > MAX_HANDLES) this.#handles.clear();
    return new Token({ library, session: this.#session, mechanisms: this.#mechanisms, handles: this.#handles, quirks: this.#quirks, sessions });
  }

  /** A token may get mechanisms while it is in use, as by an update or a policy. @returns whether there are others than before */
  #learn(library: pkcs11js.PKCS11): boolean {
    const before = this.#mechanisms;
    this.#mechanisms = new Set(library.C_GetMechanismList(this.#watch.slot).filter((code) => !this.#missing.has(code)));
    return before.symmetricDifference(this.#mechanisms).size > 0;
  }

  /** After an error the token may still be in the middle of an operation, which ends with the session. */
  #drop(): void {
    const session = this.#session;
    this.#session = undefined;
    this.#handles.clear();
    if (session !== undefined) this.#watch.sessions.close(session);
  }
}

/** Errors of this server before it called the token, and what the caller learns. */
const EXPECTED = [
  [KeyMissing, 'absent'],
  [KeyAmbiguous, 'absent'],
  [KeyExists, 'exists'],
  [PartsEnded, 'ended'],
  [PartsFull, 'full'],
  [InputWrong, 'input'],
] as const;

const isExpected = (error: unknown): boolean => error instanceof MechanismMissing || EXPECTED.some(([kind]) => error instanceof kind);

function failureOf(error: unknown): HsmFailure {
  const expected = EXPECTED.find(([kind]) => error instanceof kind);
  if (expected) return { why: expected[1], text: (error as Error).message };
  if (error instanceof MechanismMissing) return { why: 'mechanism', text: error.mechanism };
  if (returnValue(error) === undefined) throw error;
  return isStaleSession(error) ? { why: 'unavailable', text: nameOf(error) } : { why: 'refused', text: nameOf(error) };
}
