// One configured slot: finds its token, stays logged in, and never offers a PIN twice to a token that refused it, nor to another token.
import type pkcs11js from 'pkcs11js';
import { CKR, isPinRefusal, nameOf, returnValue } from './return-value.ts';

const SERIAL_SESSION_RW = 0x4 | 0x2;
const USER = 1;
/** CKF_USER_PIN_COUNT_LOW, CKF_USER_PIN_FINAL_TRY, CKF_USER_PIN_LOCKED: the token remembers a refused PIN. */
const PIN_REFUSED_FLAGS = 0x10000 | 0x20000 | 0x40000;

export interface SlotBinding {
  /** Serial number that the slot was bound to when it first opened; undefined before. */
  serial: string | undefined;
  bind(serial: string): Promise<void>;
}

export class SlotWatch {
  readonly number: number;
  readonly #pin: string;
  readonly #binding: SlotBinding;
  #session: pkcs11js.Handle | undefined;
  #slot: pkcs11js.Handle | undefined;
  /** The token refused this PIN; it is offered again only when the token says that somebody has set things right. */
  #refusedBy: { serial: string; remembered: boolean } | undefined;
  #problem: string | undefined = 'not probed yet';

  constructor(number: number, pin: string, binding: SlotBinding) {
    this.number = number;
    this.#pin = pin;
    this.#binding = binding;
  }

  /** Why the last probe failed; undefined when it succeeded. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The problem is the PIN, and no new start of the library would mend it. */
  get refused(): boolean {
    return this.#refusedBy !== undefined;
  }

  /** @returns true when the token is there and logged in */
  async probe(library: pkcs11js.PKCS11): Promise<boolean> {
    try {
      if (!this.#session || !this.#slot) await this.#open(library);
      // A session may outlive its token: only the token's own word counts.
      library.C_GetTokenInfo(this.#slot as pkcs11js.Handle);
      library.C_GetSessionInfo(this.#session as pkcs11js.Handle);
      this.#problem = undefined;
    } catch (error) {
      this.#problem = nameOf(error);
      this.close(library);
    }
    return this.#problem === undefined;
  }

  /** The library is not there, or was started anew: what was held of it is void. */
  reset(problem: string): void {
    this.#session = undefined;
    this.#slot = undefined;
    this.#problem = problem;
  }

  close(library: pkcs11js.PKCS11): void {
    if (this.#session) {
      try {
        library.C_CloseSession(this.#session);
      } catch {
        // It went with its token.
      }
    }
    this.#session = undefined;
    this.#slot = undefined;
  }

  async #open(library: pkcs11js.PKCS11): Promise<void> {
    const slot = findSlot(library, this.number, this.#binding.serial);
    this.#slot = slot;
    const { serialNumber, flags } = library.C_GetTokenInfo(slot);
    const serial = serialNumber.trim();
    this.#requireFitting(serial, (flags & PIN_REFUSED_FLAGS) !== 0);
    this.#refusedBy = undefined;
    this.#session = library.C_OpenSession(slot, SERIAL_SESSION_RW);
    try {
      library.C_Login(this.#session, USER, this.#pin);
    } catch (error) {
      if (isPinRefusal(error)) this.#refusedBy = { serial, remembered: (library.C_GetTokenInfo(slot).flags & PIN_REFUSED_FLAGS) !== 0 };
      if (returnValue(error) !== CKR.USER_ALREADY_LOGGED_IN) throw error;
    }
    if (this.#binding.serial === undefined) await this.#binding.bind(serial);
  }

  /** @throws Error for another token than the slot is bound to, and for one that refused the PIN and does not say that this was set right */
  #requireFitting(serial: string, remembersRefusal: boolean): void {
    const { serial: bound } = this.#binding;
    if (bound !== undefined && serial !== bound) throw new Error(`the slot holds another token than before (${serial}, not ${bound})`);
    if (this.#refusedBy?.serial === serial && (remembersRefusal || !this.#refusedBy.remembered))
      throw new Error('the token refused the PIN; it is not offered again until the token says it was set right');
  }
}

/** By the serial it is bound to; before that the number is a slot ID, else an index in the list of slots with a token. */
function findSlot(library: pkcs11js.PKCS11, number: number, serial: string | undefined): pkcs11js.Handle {
  const slots = library.C_GetSlotList(true);
  if (serial !== undefined) {
    const bound = slots.find((candidate) => serialOf(library, candidate) === serial);
    if (bound) return bound;
    throw new Error(`no slot holds the token ${serial}`);
  }
  const found = slots.find((candidate) => candidate.readBigUInt64LE() === BigInt(number)) ?? slots[number];
  if (!found) throw new Error(`there is no slot ${number} with a token`);
  return found;
}

function serialOf(library: pkcs11js.PKCS11, slot: pkcs11js.Handle): string | undefined {
  try {
    return library.C_GetTokenInfo(slot).serialNumber.trim();
  } catch {
    return undefined;
  }
}
