// One configured slot: finds its token and stays logged in. It never sends a PIN twice to a token that refused it, nor to another token.
import type pkcs11js from 'pkcs11js';
import type { SecretFile } from '../../../kernel/config/secret-file.ts';
import type { HsmFailure, HsmHints } from '../api.ts';
import { findSlot, OR_ACCEPT } from '../token/find-slot.ts';
import { LentSessions } from '../token/lent-sessions.ts';
import { Sessions } from '../token/sessions.ts';
import type { Occupied } from './occupied.ts';
import { PinCorrected, PinOffer } from './pin-offer.ts';
import type { SlotBinding } from './slot-binding.ts';
import { requireFree, type SlotClaim, TokenTaken } from './slot-claims.ts';
import { problemOf } from './slot-problem.ts';

const ENDED = 'its session ended';
const RENEWED = 'the token has another label than at the login, so it may have been initialised anew; its library is started again';

export class SlotWatch {
  readonly number: number;
  readonly #pin: PinOffer;
  readonly #binding: SlotBinding;
  readonly #hints: HsmHints;
  #session: pkcs11js.Handle | undefined;
  #slot: pkcs11js.Handle | undefined;
  #problem: string | undefined = 'not probed yet';
  #library: pkcs11js.PKCS11 | undefined;
  /** Of the login, and of the calls. */
  readonly sessions: Sessions;
  occupied: Occupied | undefined;
  /** Another one after each end of a login. */
  login = 0;
  #isBound = false;
  /** As they were read last. */
  #claims: readonly SlotClaim[] = [];
  #label: string | undefined;
  /** The token has another label than at the login, or was corrected after it had refused the PIN. Some libraries notice only after a restart that it has been initialised anew. */
  isRenewed = false;
  /** The problem, if another slot has the token. */
  #taken: TokenTaken | undefined;
  /** Serial numbers of tokens that do not take the place of a missing one: they are those of other slots. Undefined unless the operator has accepted another token. */
  #notAccepted: ReadonlySet<string> | undefined;

  /** @param hints what the operator can do @param lent of all slots of the library */
  constructor(number: number, pin: string | SecretFile, binding: SlotBinding, hints: HsmHints = {}, lent = new LentSessions()) {
    this.sessions = new Sessions(() => ({ library: this.#library as pkcs11js.PKCS11, slot: this.slot }), lent);
    this.#hints = hints;
    this.number = number;
    this.#pin = new PinOffer(pin, hints.pin);
    this.#binding = binding;
  }

  /** Of the token that the slot is bound to, or that another slot has; undefined before a login, until which another token may be accepted. */
  get serial(): string | undefined {
    return this.#isBound ? this.#binding.serial : this.#taken?.serial;
  }

  /** Another slot has the token. */
  get isTaken(): boolean {
    return this.#taken !== undefined;
  }

  /** The operator says that another token may take the place of the bound one, if that is missing. This holds until the next login. */
  acceptChange(others: readonly SlotWatch[]): void {
    if (!this.#isBound) this.#notAccepted = new Set(others.flatMap((other) => (other === this ? [] : (other.#binding.serial ?? []))));
  }

  /** Why the last probe failed, or what hangs; undefined if the slot can be used. */
  get problem(): string | undefined {
    return this.occupied?.stall() ?? this.#problem;
  }

  /** @param text why the slot cannot be used */
  unavailable(text: string): HsmFailure {
    return { why: 'unavailable', text, ...(this.#taken && { holder: this.#taken.holder }) };
  }

  /** The problem is the PIN, so a restart of the library would not help. */
  get refused(): boolean {
    return this.#pin.isRefused;
  }

  /** The session ended since the last probe. */
  get hasEnded(): boolean {
    return this.#problem === ENDED;
  }

  /** The slot of the last login. */
  get slot(): pkcs11js.Handle {
    if (!this.#slot) throw new Error(`slot ${this.number} has no login`);
    return this.#slot;
  }

  /** Before a probe that may log in. While the database is away, those that were read before hold. */
  async readClaims(): Promise<void> {
    if (this.#session === undefined) this.#claims = (await this.#binding.claims?.().catch(() => undefined)) ?? this.#claims;
  }

  /** A slot that another thread occupies is not probed: that could hold up this thread. @returns true if the token is present and logged in */
  async probe(library: pkcs11js.PKCS11): Promise<boolean> {
    if (this.occupied?.stall() !== undefined || this.occupied?.isHeld()) return this.problem === undefined;
    const wasOpen = this.#session !== undefined;
    // What an idle session was lost to, such as a timeout of the token, may be over: nobody is refused if another login works.
    return (await this.#isWell(library)) || ((wasOpen || this.hasEnded) && (await this.#isWell(library)));
  }

  async #isWell(library: pkcs11js.PKCS11): Promise<boolean> {
    try {
      if (this.isRenewed) throw new Error(this.#problem);
      if (!this.#session || !this.#slot) await this.#open(library);
      // A call of another session may have found meanwhile that the login has ended.
      if (!this.#session || !this.#slot) throw new Error(ENDED);
      // A session may outlive its token, so ask the token too.
      this.isRenewed = library.C_GetTokenInfo(this.#slot).label !== this.#label;
      if (this.isRenewed) throw new Error(RENEWED);
      library.C_GetSessionInfo(this.#session);
      this.#problem = undefined;
      this.#taken = undefined;
    } catch (error) {
      this.#problem = problemOf(error);
      this.#taken = error instanceof TokenTaken ? error : undefined;
      this.isRenewed ||= error instanceof PinCorrected;
      this.close();
    }
    return this.#problem === undefined;
  }

  /** Sends the PIN for the use of a key that has begun in a session of the slot. @throws Error, and what the token says */
  confirm(session: pkcs11js.Handle): void {
    this.#pin.confirm({ library: this.#library as pkcs11js.PKCS11, slot: this.slot }, session);
  }

  /** The library is not loaded, or was restarted: drops all handles. */
  reset(problem: string): void {
    this.sessions.forget();
    this.isRenewed = false;
    this.login += 1;
    this.#session = undefined;
    this.#slot = undefined;
    this.#problem = problem;
  }

  /** Ends the login, and all sessions with it. */
  close(): void {
    this.sessions.closeAll();
    this.login += 1;
    this.#session = undefined;
    this.#slot = undefined;
    this.#problem ??= ENDED;
  }

  async #open(library: pkcs11js.PKCS11): Promise<void> {
    const slot = findSlot(library, this.number, this.#binding.serial, this.#hints.token, this.#notAccepted);
    this.#slot = slot;
    this.#library = library;
    const { serialNumber, flags, label } = library.C_GetTokenInfo(slot);
    const serial = serialNumber.trim();
    this.#requireBound(serial);
    requireFree(library, { slot, serial, isBound: this.#binding.serial === serial }, this.#claims);
    this.#session = this.#pin.login({ library, slot }, { serial, label, flags }, () => this.sessions.open());
    if (this.#binding.serial !== serial) await this.#binding.bind(serial);
    this.#isBound = true;
    this.#label = label;
    this.#notAccepted = undefined;
  }

  /** @throws Error for a token other than the bound one */
  #requireBound(serial: string): void {
    const { serial: bound } = this.#binding;
    if (bound !== undefined && serial !== bound && this.#notAccepted === undefined)
      throw new Error(`the slot holds another token than before (${serial}, not ${bound}): insert the token ${bound}, ${OR_ACCEPT}`);
  }
}
