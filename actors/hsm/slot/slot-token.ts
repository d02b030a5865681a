// The session of a slot in the thread of its instance, what the token reports there, and the handles of its keys.
import type pkcs11js from 'pkcs11js';
import { CKM } from '../../../kmip/pkcs11.ts';
import type { HsmQuirks, TokenKeyName } from '../api.ts';
import { HandleChecks } from '../token/handle-checks.ts';
import { Handles } from '../token/handles.ts';
import { KeyMarks } from '../token/key-marks.ts';
import { PinUses } from '../token/pin-wanted.ts';
import { Token } from '../token/token.ts';
import { requireUnwrapping, UnwrappedKeys, type WrappedKeyName } from '../token/unwrapped-keys.ts';
import type { SlotWatch } from './slot-watch.ts';

export class SlotToken {
  readonly handles: Handles;
  readonly unwrapped: UnwrappedKeys;
  readonly marks: KeyMarks;
  readonly checks: HandleChecks;
  readonly pinUses: PinUses;
  readonly #watch: SlotWatch;
  readonly #quirks: HsmQuirks;
  /** Mechanisms that the token reports, but does not have. */
  readonly #missing: ReadonlySet<number>;
  #session: pkcs11js.Handle | undefined;
  /** The login of the handles. */
  #login = 0;
  mechanisms: ReadonlySet<number> = new Set();

  /** @param monotonic milliseconds @param onReplaced as of `KeyMarks` */
  constructor(watch: SlotWatch, quirks: HsmQuirks, monotonic: () => number, onReplaced: (key: TokenKeyName) => void) {
    this.marks = new KeyMarks(onReplaced);
    this.checks = new HandleChecks(monotonic);
    this.pinUses = new PinUses((session) => watch.confirm(session));
    this.unwrapped = new UnwrappedKeys(monotonic, watch.sessions);
    this.handles = new Handles(() => this.unwrapped.end());
    this.#watch = watch;
    this.#quirks = quirks;
    this.#missing = new Set((quirks.missingMechanisms ?? []).map((name) => CKM[name] as number));
  }

  /** Handles are those of one login: the token may have been another, or away. */
  renew(): void {
    if (this.#login === this.#watch.login) return;
    this.#login = this.#watch.login;
    this.handles.clear();
  }

  token(library: pkcs11js.PKCS11): Token {
    const { sessions } = this.#watch;
    this.renew();
    if (this.#session === undefined || !sessions.has(this.#session)) {
      this.#session = sessions.open();
      this.learn(library);
    }
    const { mechanisms, handles, marks, checks, pinUses } = this;
    return new Token({ library, session: this.#session, mechanisms, handles: handles.known, quirks: this.#quirks, marks, checks, pinUses });
  }

  /** Unwraps a key, unless that was done meanwhile. */
  hold(token: Token, key: WrappedKeyName): void {
    if (this.handles.has(key)) return;
    requireUnwrapping(token, this.#watch.slot, key.wrapped);
    this.handles.put(key, this.unwrapped.unwrap(token, key));
  }

  /** A token may get mechanisms while it is in use, as by an update or a policy. @returns whether there are others than before */
  learn(library: pkcs11js.PKCS11): boolean {
    const before = this.mechanisms;
    this.mechanisms = new Set(library.C_GetMechanismList(this.#watch.slot).filter((code) => !this.#missing.has(code)));
    return before.symmetricDifference(this.mechanisms).size > 0;
  }

  /** After an error the token may still be in the middle of an operation, which ends with the session. */
  drop(): void {
    const session = this.#session;
    this.#session = undefined;
    this.handles.clearFound();
    if (session !== undefined) this.#watch.sessions.close(session);
  }
}
