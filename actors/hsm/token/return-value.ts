// PKCS#11 return values: what they say about a PIN, a session or an object, and their names.
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';

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
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'number') return code;
  // The binding leaves the errors of some functions, such as C_CreateObject, as its C++ code throws them.
  const told = /^CKR_\w+:(\d+)/.exec(String(message))?.[1];
  return told === undefined ? undefined : Number(told);
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
