// Finds the slot of a configured number: where its token is, or that of the number.
import type pkcs11js from 'pkcs11js';

export const OR_ACCEPT = 'or start once with --accept-hsm-change';

/**
 * Finds the slot by the bound serial number. Before it is bound, the number is a slot ID, or else an index in the list of slots with a token. The
 * tokens of some libraries all have one serial number: then the number decides among them.
 * @param notAccepted the number decides too if the token of the serial number is missing, unless it leads to one of these tokens; undefined: it does not
 */
export function findSlot(
  library: pkcs11js.PKCS11,
  number: number,
  serial: string | undefined,
  hint: string | undefined,
  notAccepted: ReadonlySet<string> | undefined,
): pkcs11js.Handle {
  const slots = library.C_GetSlotList(true);
  const configured = slots.find((candidate) => candidate.readBigUInt64LE() === BigInt(number)) ?? slots[number];
  if (serial !== undefined) {
    const bound = slots.filter((candidate) => serialOf(library, candidate) === serial);
    const chosen = bound.find((candidate) => candidate === configured) ?? bound[0];
    if (chosen) return chosen;
    if (!notAccepted) throw new Error(withHint(`no slot holds the token ${serial}: insert it, ${OR_ACCEPT}`, hint));
    const other = configured && serialOf(library, configured);
    if (other !== undefined && notAccepted.has(other))
      throw new Error(`no slot holds the token ${serial}, and slot ${number} now holds ${other}, which is the token of another slot: check hsm_slot`);
  }
  if (!configured) throw new Error(withHint(`no slot ${number} with a token: check hsm_slot, and insert the token`, hint));
  return configured;
}

export const withHint = (text: string, hint: string | undefined): string => (hint === undefined ? text : `${text} (${hint})`);

function serialOf(library: pkcs11js.PKCS11, slot: pkcs11js.Handle): string | undefined {
  try {
    return library.C_GetTokenInfo(slot).serialNumber.trim();
  } catch {
    return undefined;
  }
}
