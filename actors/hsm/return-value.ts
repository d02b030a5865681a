// PKCS#11 return values: their numbers and names, and what they say about a PIN, a session or an object.

/** Names and codes of PKCS #11 v2.40, section 6 (CKR_). */
export const CKR = Object.freeze({
  HOST_MEMORY: 0x02,
  SLOT_ID_INVALID: 0x03,
  GENERAL_ERROR: 0x05,
  FUNCTION_FAILED: 0x06,
  ARGUMENTS_BAD: 0x07,
  ATTRIBUTE_SENSITIVE: 0x11,
  ATTRIBUTE_TYPE_INVALID: 0x12,
  ATTRIBUTE_VALUE_INVALID: 0x13,
  DATA_INVALID: 0x20,
  DATA_LEN_RANGE: 0x21,
  DEVICE_ERROR: 0x30,
  DEVICE_MEMORY: 0x31,
  DEVICE_REMOVED: 0x32,
  ENCRYPTED_DATA_INVALID: 0x40,
  ENCRYPTED_DATA_LEN_RANGE: 0x41,
  FUNCTION_NOT_SUPPORTED: 0x54,
  KEY_HANDLE_INVALID: 0x60,
  KEY_SIZE_RANGE: 0x62,
  KEY_TYPE_INCONSISTENT: 0x63,
  KEY_FUNCTION_NOT_PERMITTED: 0x68,
  KEY_NOT_WRAPPABLE: 0x69,
  KEY_UNEXTRACTABLE: 0x6a,
  MECHANISM_INVALID: 0x70,
  MECHANISM_PARAM_INVALID: 0x71,
  OBJECT_HANDLE_INVALID: 0x82,
  OPERATION_ACTIVE: 0x90,
  PIN_INCORRECT: 0xa0,
  PIN_INVALID: 0xa1,
  PIN_LEN_RANGE: 0xa2,
  PIN_EXPIRED: 0xa3,
  PIN_LOCKED: 0xa4,
  SESSION_CLOSED: 0xb0,
  SESSION_HANDLE_INVALID: 0xb3,
  SESSION_READ_ONLY: 0xb5,
  TEMPLATE_INCOMPLETE: 0xd0,
  TEMPLATE_INCONSISTENT: 0xd1,
  TOKEN_NOT_PRESENT: 0xe0,
  TOKEN_NOT_RECOGNIZED: 0xe1,
  TOKEN_WRITE_PROTECTED: 0xe2,
  UNWRAPPING_KEY_HANDLE_INVALID: 0xf0,
  USER_ALREADY_LOGGED_IN: 0x100,
  USER_NOT_LOGGED_IN: 0x101,
  WRAPPED_KEY_INVALID: 0x110,
  WRAPPED_KEY_LEN_RANGE: 0x112,
  WRAPPING_KEY_HANDLE_INVALID: 0x113,
  CURVE_NOT_SUPPORTED: 0x140,
  BUFFER_TOO_SMALL: 0x150,
  CRYPTOKI_NOT_INITIALIZED: 0x190,
  CRYPTOKI_ALREADY_INITIALIZED: 0x191,
});

const PIN_REFUSALS: ReadonlySet<number> = new Set([CKR.PIN_INCORRECT, CKR.PIN_INVALID, CKR.PIN_LEN_RANGE, CKR.PIN_EXPIRED, CKR.PIN_LOCKED]);

/** The handle of an object is not valid any more: its object went, or came anew. */
const STALE_OBJECT: ReadonlySet<number> = new Set([
  CKR.KEY_HANDLE_INVALID,
  CKR.OBJECT_HANDLE_INVALID,
  CKR.WRAPPING_KEY_HANDLE_INVALID,
  CKR.UNWRAPPING_KEY_HANDLE_INVALID,
]);

/** The session is not valid any more, or the token forgot the login. */
const STALE_SESSION: ReadonlySet<number> = new Set([
  CKR.SESSION_CLOSED,
  CKR.SESSION_HANDLE_INVALID,
  CKR.USER_NOT_LOGGED_IN,
  CKR.CRYPTOKI_NOT_INITIALIZED,
  CKR.DEVICE_REMOVED,
  CKR.TOKEN_NOT_PRESENT,
]);

export const isStaleObject = (error: unknown): boolean => STALE_OBJECT.has(returnValue(error) ?? -1);
export const isStaleSession = (error: unknown): boolean => STALE_SESSION.has(returnValue(error) ?? -1);

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
