// The sessions in which other threads make calls just now: they are not closed under a call, nor is their number used twice.
import type pkcs11js from 'pkcs11js';

interface Lent {
  readonly session: pkcs11js.Handle;
  calls: number;
  /** What closes the session, or the one that got its number, once no call runs in it. */
  closeBy: pkcs11js.PKCS11 | undefined;
}

export class LentSessions {
  /** By the number of the session. */
  readonly #lent = new Map<bigint, Lent>();

  get count(): number {
    return this.#lent.size;
  }

  lend(session: pkcs11js.Handle): void {
    const lent = this.#lent.get(numberOf(session));
    if (lent) lent.calls += 1;
    else this.#lent.set(numberOf(session), { session, calls: 1, closeBy: undefined });
  }

  takeBack(session: pkcs11js.Handle): void {
    const lent = this.#lent.get(numberOf(session));
    if (!lent) return;
    lent.calls -= 1;
    if (lent.calls > 0) return;
    this.#lent.delete(numberOf(session));
    if (lent.closeBy) closeNow(lent.session, lent.closeBy);
  }

  /**
   * A library that has ended a session, as with its token, may give its number to the next one, while the call in the old one has not returned.
   * @returns true if the new session has such a number: nobody may use it, and it is closed after the call
   */
  keepsApart(session: pkcs11js.Handle, library: pkcs11js.PKCS11): boolean {
    const lent = this.#lent.get(numberOf(session));
    if (lent) lent.closeBy = library;
    return lent !== undefined;
  }

  close(session: pkcs11js.Handle, library: pkcs11js.PKCS11): void {
    const lent = this.#lent.get(numberOf(session));
    if (lent) lent.closeBy = library;
    else closeNow(session, library);
  }
}

/** CK_SESSION_HANDLE, a CK_ULONG. */
const numberOf = (session: pkcs11js.Handle): bigint => session.readBigUInt64LE();

function closeNow(session: pkcs11js.Handle, library: pkcs11js.PKCS11): void {
  try {
    library.C_CloseSession(session);
  } catch {
    // It ended before, as with its token.
  }
}
