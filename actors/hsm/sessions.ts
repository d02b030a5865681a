// The sessions of one slot: all of them end with the login, and none of another login is closed in their place.
import type pkcs11js from 'pkcs11js';

const SERIAL_SESSION_RW = 0x4 | 0x2;

/** The library, and its slot of the login. */
export interface OpenSlot {
  readonly library: pkcs11js.PKCS11;
  readonly slot: pkcs11js.Handle;
}

export class Sessions {
  readonly #at: () => OpenSlot;
  /** By handle object: a library may give the number of a session that ended to another one. */
  readonly #open = new Map<pkcs11js.Handle, pkcs11js.PKCS11>();

  constructor(at: () => OpenSlot) {
    this.#at = at;
  }

  open(): pkcs11js.Handle {
    const { library, slot } = this.#at();
    const session = library.C_OpenSession(slot, SERIAL_SESSION_RW);
    this.#open.set(session, library);
    return session;
  }

  has(session: pkcs11js.Handle): boolean {
    return this.#open.has(session);
  }

  close(session: pkcs11js.Handle): void {
    const library = this.#open.get(session);
    this.#open.delete(session);
    try {
      library?.C_CloseSession(session);
    } catch {
      // It ended before, as with its token.
    }
  }

  closeAll(): void {
    for (const session of [...this.#open.keys()]) this.close(session);
  }

  /** The library was finalised, which ended them all. */
  forget(): void {
    this.#open.clear();
  }
}
