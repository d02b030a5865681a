// PKCS#11 return values: their numbers and names, and which of them refuse a PIN.

/** Names and codes of PKCS #11 v2.40, section 6 (CKR_). */
export const CKR = Object.freeze({
  HOST_MEMORY: 0x02,
  SLOT_ID_INVALID: 0x03,
  GENERAL_ERROR: 0x05,
  FUNCTION_FAILED: 0x06,
  DEVICE_ERROR: 0x30,
  DEVICE_MEMORY: 0x31,
  DEVICE_REMOVED: 0x32,
  PIN_INCORRECT: 0xa0,
  PIN_INVALID: 0xa1,
  PIN_LEN_RANGE: 0xa2,
  PIN_EXPIRED: 0xa3,
  PIN_LOCKED: 0xa4,
  SESSION_CLOSED: 0xb0,
  SESSION_HANDLE_INVALID: 0xb3,
  TOKEN_NOT_PRESENT: 0xe0,
  TOKEN_NOT_RECOGNIZED: 0xe1,
  USER_ALREADY_LOGGED_IN: 0x100,
  CRYPTOKI_NOT_INITIALIZED: 0x190,
  CRYPTOKI_ALREADY_INITIALIZED: 0x191,
});

const PIN_REFUSALS: ReadonlySet<number> = new Set([CKR.PIN_INCORRECT, CKR.PIN_INVALID, CKR.PIN_LEN_RANGE, CKR.PIN_EXPIRED, CKR.PIN_LOCKED]);

/** The return value of a Cryptoki error; undefined for anything else, such as a library that does not load. */
export function returnValue(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

export function isPinRefusal(error: unknown): boolean {
  return PIN_REFUSALS.has(returnValue(error) ?? -1);
}

/** The name of a return value in the standard, for the log. */
export function nameOf(error: unknown): string {
  const code = returnValue(error);
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  const known = Object.entries(CKR).find(([, value]) => value === code);
  return known ? `CKR_${known[0]}` : `CKR 0x${code.toString(16)}`;
}
