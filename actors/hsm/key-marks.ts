// What the keys of a slot were when they were found first, so that one that came in the place of another is noticed.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../kmip/pkcs11.ts';
import type { TokenKeyName } from './api.ts';
import { cacheName } from './key-name.ts';
import { isStaleObject, isStaleSession, returnValue } from './return-value.ts';
import type { Token } from './token.ts';

/**
 * What tells a key from another of its name: its class and type, its length or its public numbers, its check value, and where tokens have it the
 * CKA_UNIQUE_ID of PKCS #11 3.0, which no two objects share. Sessions, logins and other names of it change none of them.
 */
const MARKS = [CKA.CLASS, CKA.KEY_TYPE, CKA.VALUE_LEN, CKA.MODULUS, CKA.EC_POINT, CKA.CHECK_VALUE, CKA.UNIQUE_ID];
/** Keys whose marks are remembered. */
const MAX_MARKS = 10_000;

/** @returns a text that two keys hardly have in common; undefined if the library does not take the question, of which no use of the key must fail */
export function markOf(token: Pick<Token, 'read'>, handle: pkcs11js.Handle): string | undefined {
  try {
    return MARKS.map((type) => token.read(handle, type)?.toString('hex') ?? '').join(' ');
  } catch (error) {
    if (returnValue(error) === undefined || isStaleObject(error) || isStaleSession(error)) throw error;
    return undefined;
  }
}

export class KeyMarks {
  readonly #marks = new Map<string, string>();
  readonly #onReplaced: (key: TokenKeyName) => void;

  /** @param onReplaced told of a key that is not the one that had the name before */
  constructor(onReplaced: (key: TokenKeyName) => void) {
    this.#onReplaced = onReplaced;
  }

  /** The key was searched for and found. */
  found(key: TokenKeyName, mark: string | undefined): void {
    if (mark === undefined) return;
    if (this.#marks.size >= MAX_MARKS) this.#marks.clear();
    const before = this.#marks.get(cacheName(key));
    this.#marks.set(cacheName(key), mark);
    if (before !== undefined && before !== mark) this.#onReplaced(key);
  }

  /** This server makes or destroys the keys of the name. */
  forget(name: string): void {
    for (const kind of ['secret', 'private', 'public'] as const) this.#marks.delete(cacheName({ name, kind }));
  }
}
