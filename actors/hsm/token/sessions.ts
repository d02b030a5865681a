// The sessions of one slot: all of them end with the login, and none of another login is closed in their place.
import type pkcs11js from 'pkcs11js';
import { PKCS_11_RETURN_CODE as CKR } from '../../../kmip/ttlv/pkcs11.ts';
import { LentSessions } from './lent-sessions.ts';

const SERIAL_SESSION_RW = 0x4 | 0x2;

/** The library, and its slot of the login. */
export interface OpenSlot {
  readonly library: pkcs11js.PKCS11;
  readonly slot: pkcs11js.Handle;
}

export class Sessions {
  readonly #at: () => OpenSlot;
  readonly #lent: LentSessions;
  /** By handle object: a library may give the number of a session that ended to another one. */
  readonly #open = new Map<pkcs11js.Handle, pkcs11js.PKCS11>();

  /** @param lent of all slots of the library */
  constructor(at: () => OpenSlot, lent = new LentSessions()) {
    this.#at = at;
    this.#lent = lent;
  }

  /** @throws the error of the library; CKR_SESSION_COUNT if it gives no number but those that others still use */
  open(): pkcs11js.Handle {
    const { library, slot } = this.#at();
    // Each of the lent numbers may come once.
    for (let left = this.#lent.count; left >= 0; left--) {
      const session = library.C_OpenSession(slot, SERIAL_SESSION_RW);
      if (this.#lent.keepsApart(session, library)) continue;
      this.#open.set(session, library);
      return session;
    }
    throw Object.assign(new Error('the library gives a session twice'), { code: CKR.SESSION_COUNT });
  }

  has(session: pkcs11js.Handle): boolean {
    return this.#open.has(session);
  }

  /** Another thread makes a call in the session. */
  lend(session: pkcs11js.Handle): void {
    this.#lent.lend(session);
  }

  /** The call has returned. */
  takeBack(session: pkcs11js.Handle): void {
    this.#lent.takeBack(session);
  }

  /** A session in which a call runs is closed after it. */
  close(session: pkcs11js.Handle): void {
    const library = this.#open.get(session);
    this.#open.delete(session);
    if (library) this.#lent.close(session, library);
  }

  closeAll(): void {
    for (const session of [...this.#open.keys()]) this.close(session);
  }

  /** The library was finalised, which ended them all. */
  forget(): void {
    this.#open.clear();
  }
}
