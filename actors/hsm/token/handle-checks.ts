// Whether the handle of a key is still that of the key: some tokens give the handle of an object that is gone to the next one.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../../kmip/pkcs11.ts';
import type { TokenKeyName } from '../api.ts';
import { readAttributes, uint } from './attributes.ts';
import { cacheName, idOf } from './key-name.ts';
import { isStaleObject, isStaleSession, returnValue } from './return-value.ts';
import type { Token } from './token.ts';

/** A use believes a handle that was looked at within this time, in milliseconds: to ask each time would double the calls of a short use. */
const BELIEVED_MS = 10_000;
/** Keys whose times are remembered. */
const MAX_TIMES = 10_000;

/** When the handles of a slot were last found, or looked at. */
export class HandleChecks {
  readonly #times = new Map<string, number>();
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** An unwrapped key is an object of a session, which no other program reaches. */
  isDue(key: TokenKeyName): boolean {
    const since = this.#times.get(cacheName(key)) ?? Number.NEGATIVE_INFINITY;
    return !key.wrapped && this.#monotonic() - since > BELIEVED_MS;
  }

  done(key: TokenKeyName): void {
    if (this.#times.size >= MAX_TIMES) this.#times.clear();
    this.#times.set(cacheName(key), this.#monotonic());
  }
}

/** @param kind CKO_... of the key @returns false if the object of the handle has another name or class; true if the token does not tell them, of which no use must fail */
export function isStill({ library, session }: Pick<Token, 'library' | 'session'>, { name }: TokenKeyName, kind: number, handle: pkcs11js.Handle): boolean {
  try {
    const read = readAttributes((types) => library.C_GetAttributeValue(session, handle, types) as { value: Buffer }[], [CKA.CLASS, CKA.ID, CKA.LABEL]);
    const [ofClass, id, label] = [CKA.CLASS, CKA.ID, CKA.LABEL].map((type) => read.get(type));
    if (ofClass && uint(ofClass) !== kind) return false;
    return (id === undefined && label === undefined) || id?.equals(idOf(name)) === true || label?.equals(Buffer.from(name)) === true;
  } catch (error) {
    if (returnValue(error) === undefined || isStaleObject(error) || isStaleSession(error)) throw error;
    return true;
  }
}
