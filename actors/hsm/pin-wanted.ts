// Keys for each use of which the token wants its PIN again (CKA_ALWAYS_AUTHENTICATE, PKCS #11 v3.1 section 4.9), as cards do for keys that sign documents.
import { CKA } from '../../kmip/pkcs11.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../kmip/ttlv/pkcs11.ts';
import type { TokenKeyName } from './api.ts';
import { returnValue } from './return-value.ts';
import type { Token } from './token.ts';

/** The token wants its PIN for this use. */
export class PinWanted extends Error {}

/** CKS_RO_USER_FUNCTIONS and CKS_RW_USER_FUNCTIONS. */
const LOGGED_IN: ReadonlySet<number> = new Set([1, 3]);

/**
 * The token says of such a use that nobody is logged in. Another login would not help, and end what others do on the slot.
 * @param key that was used
 * @returns the error of the token, if it means something else
 */
export function orPinWanted(token: Token, key: TokenKeyName | undefined, error: unknown): unknown {
  if (key?.kind !== 'private' || returnValue(error) !== CKR.USER_NOT_LOGGED_IN || !isAlwaysAsked(token, key)) return error;
  return new PinWanted(`the token wants its PIN for each use of the key ${key.name} (CKA_ALWAYS_AUTHENTICATE), and this server sends it for the login only`);
}

function isAlwaysAsked(token: Token, key: TokenKeyName): boolean {
  try {
    return LOGGED_IN.has(token.library.C_GetSessionInfo(token.session).state) && token.read(token.handle(key), CKA.ALWAYS_AUTHENTICATE)?.[0] === 1;
  } catch {
    // The session has ended, or the key is gone.
    return false;
  }
}
