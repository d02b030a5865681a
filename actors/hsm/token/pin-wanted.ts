// Keys for each use of which the token wants its PIN again (CKA_ALWAYS_AUTHENTICATE, PKCS #11 v3.1 section 4.9), as cards do for keys that sign documents.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../../kmip/pkcs11.ts';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import type { TokenKeyName } from '../api.ts';
import { cacheName } from './key-name.ts';
import { nameOf, returnValue } from './return-value.ts';
import type { Token } from './token.ts';

/** The token wants its PIN for this use. */
export class PinWanted extends Error {}
/** This server has none to send, as when its file cannot be read. */
export class PinUnread extends Error {}

/** CKS_RO_USER_FUNCTIONS and CKS_RW_USER_FUNCTIONS. */
const LOGGED_IN: ReadonlySet<number> = new Set([1, 3]);

/** Which keys of a slot are such, and who sends the PIN: the thread of the instance, which alone has it. */
export class PinUses {
  readonly #names = new Set<string>();
  readonly #send: (session: pkcs11js.Handle) => void;

  /** @param send the PIN, for the use of a key that has begun in a session */
  constructor(send: (session: pkcs11js.Handle) => void) {
    this.#send = send;
  }

  has(key: TokenKeyName | undefined): boolean {
    // Asked for every use, and most slots have no such key.
    return this.#names.size > 0 && key !== undefined && this.#names.has(cacheName(key));
  }

  /** @returns whether that was not known */
  add(key: TokenKeyName): boolean {
    const isNew = !this.has(key);
    this.#names.add(cacheName(key));
    return isNew;
  }

  /** @throws PinUnread if there is no PIN to send, and what the token says to it */
  confirm(key: TokenKeyName, session: pkcs11js.Handle): void {
    if (!this.has(key)) return;
    try {
      this.#send(session);
    } catch (error) {
      if (returnValue(error) === undefined) throw new PinUnread(`the token wants its PIN for each use of the key ${key.name}: ${nameOf(error)}`);
      if (returnValue(error) !== CKR.OPERATION_NOT_INITIALIZED) throw error;
      // Another key has the name now, and wants nothing.
      this.#names.delete(cacheName(key));
    }
  }
}

/** After each beginning of a use by a private key. */
export function confirmUse({ pinUses, session }: Pick<Token, 'pinUses' | 'session'>, key: TokenKeyName): void {
  if (key.kind === 'private') pinUses?.confirm(key, session);
}

/** Before a use in parts, which could not begin anew once it is refused. */
export function noteWanted(token: Token, key: TokenKeyName): void {
  if (key.kind === 'private' && !key.wrapped && isAlwaysAsked(token, key)) token.pinUses?.add(key);
}

const isAlwaysAsked = (token: Token, key: TokenKeyName): boolean => token.read(token.handle(key), CKA.ALWAYS_AUTHENTICATE)?.[0] === 1;

/**
 * The token says of such a use that nobody is logged in. Another login would not help, and end what others do on the slot.
 * @param key that was used
 * @returns the error of the token, if it means something else
 */
export function orPinWanted(token: Token, key: TokenKeyName | undefined, error: unknown): unknown {
  if (key?.kind !== 'private' || returnValue(error) !== CKR.USER_NOT_LOGGED_IN || !isLoggedInFor(token, key)) return error;
  return new PinWanted(
    `the token wants its PIN for each use of the key ${key.name} (CKA_ALWAYS_AUTHENTICATE), and takes it for signatures and decryption only`,
  );
}

function isLoggedInFor(token: Token, key: TokenKeyName): boolean {
  try {
    return LOGGED_IN.has(token.library.C_GetSessionInfo(token.session).state) && isAlwaysAsked(token, key);
  } catch {
    // The session has ended, or the key is gone.
    return false;
  }
}
