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

interface SlotWatch {
  readonly number: number;
  /** Why the last probe failed; undefined when it succeeded. */
  readonly problem: string | undefined;
  /** The problem is the PIN, and no new start of the library would mend it. */
  readonly refused: boolean;
  /** @returns true when the token is there and logged in */
  probe(library: pkcs11js.PKCS11): Promise<boolean>;
  /** The library is not there, or was started anew: what was held of it is void. */
  reset(problem: string): void;
  close(library: pkcs11js.PKCS11): void;
}

export function watchSlot(number: number, pin: string, binding: SlotBinding): SlotWatch {
  let session: pkcs11js.Handle | undefined;
  let slot: pkcs11js.Handle | undefined;
  /** The token refused this PIN; it is offered again only when the token says that somebody has set things right. */
  let refusedBy: { serial: string; remembered: boolean } | undefined;
  let problem: string | undefined = 'not probed yet';

  const open = async (library: pkcs11js.PKCS11) => {
    slot = findSlot(library, number, binding.serial);
    const { serialNumber, flags } = library.C_GetTokenInfo(slot);
    const serial = serialNumber.trim();
    if (binding.serial !== undefined && serial !== binding.serial)
      throw new Error(`the slot holds another token than before (${serial}, not ${binding.serial})`);
    const remembers = (flags & PIN_REFUSED_FLAGS) !== 0;
    if (refusedBy?.serial === serial && (remembers || !refusedBy.remembered))
      throw new Error('the token refused the PIN; it is not offered again until the token says it was set right');
    refusedBy = undefined;
    session = library.C_OpenSession(slot, SERIAL_SESSION_RW);
    try {
      library.C_Login(session, USER, pin);
    } catch (error) {
      if (isPinRefusal(error)) refusedBy = { serial, remembered: (library.C_GetTokenInfo(slot).flags & PIN_REFUSED_FLAGS) !== 0 };
      if (returnValue(error) !== CKR.USER_ALREADY_LOGGED_IN) throw error;
    }
    if (binding.serial === undefined) await binding.bind(serial);
  };

  const close = (library: pkcs11js.PKCS11) => {
    if (session) {
      try {
        library.C_CloseSession(session);
      } catch {
        // It went with its token.
      }
    }
    session = undefined;
    slot = undefined;
  };

  return {
    number,
    get problem() {
      return problem;
    },
    get refused() {
      return refusedBy !== undefined;
    },
    async probe(library) {
      try {
        if (!session || !slot) await open(library);
        // A session may outlive its token: only the token's own word counts.
        library.C_GetTokenInfo(slot as pkcs11js.Handle);
        library.C_GetSessionInfo(session as pkcs11js.Handle);
        problem = undefined;
      } catch (error) {
        problem = nameOf(error);
        close(library);
      }
      return problem === undefined;
    },
    reset(reason) {
      session = undefined;
      slot = undefined;
      problem = reason;
    },
    close,
  };
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
