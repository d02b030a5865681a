// What the keys of a slot were when they were found first, so that one that came in the place of another is noticed.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../../kmip/pkcs11.ts';
import type { TokenKeyName } from '../api.ts';
import { halfAmong } from './key-kin.ts';
import { cacheName } from './key-name.ts';
import { isStaleObject, isStaleSession, returnValue } from './return-value.ts';
import type { Token } from './token.ts';

/**
 * What tells a key from another of its name: its class and type, its length or its public numbers, its check value, and where tokens have it the
 * CKA_UNIQUE_ID of PKCS #11 3.0, which no two objects share. Sessions, logins and other names of it change none of them.
 */
const MARKS = [CKA.CLASS, CKA.KEY_TYPE, CKA.VALUE_LEN, CKA.MODULUS, CKA.EC_POINT, CKA.CHECK_VALUE, CKA.UNIQUE_ID];
/** One of them tells any two keys of pairs apart. */
const NUMBERS = [CKA.MODULUS, CKA.EC_POINT, CKA.UNIQUE_ID];
/** Keys whose marks are remembered. */
const MAX_MARKS = 10_000;

/** Between what a key tells itself and the point of its public half. */
const BORDER = '|';

/** @returns a text that two keys hardly have in common; undefined if the library does not take the question, of which no use of the key must fail */
export function markOf(token: Pick<Token, 'read' | 'kin'>, handle: pkcs11js.Handle, key: TokenKeyName): string | undefined {
  try {
    const told = new Map(MARKS.map((type) => [type, token.read(handle, type)?.toString('hex') ?? '']));
    return [...told.values()].join(' ') + BORDER + (NUMBERS.some((type) => told.get(type)) ? '' : pointOf(token, key));
  } catch (error) {
    if (returnValue(error) === undefined || isStaleObject(error) || isStaleSession(error)) throw error;
    return undefined;
  }
}

/** Private keys on curves tell no number of their own on some tokens, such as SoftHSM and NSS; their public keys do. */
function pointOf(token: Pick<Token, 'read' | 'kin'>, { kind, name, wrapped }: TokenKeyName): string {
  const half = kind === 'private' && !wrapped ? halfAmong(token.kin, kind, name, new Map()) : undefined;
  return (half && token.read(half, CKA.EC_POINT)?.toString('hex')) ?? '';
}

/** A public key that was not there before, or is not now, tells nothing. */
function isOther(before: string, mark: string): boolean {
  const [[own, half], [ownNow, halfNow]] = [before.split(BORDER), mark.split(BORDER)];
  return own !== ownNow || (half !== '' && halfNow !== '' && half !== halfNow);
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
    const isReplaced = before !== undefined && isOther(before, mark);
    this.#marks.set(cacheName(key), before !== undefined && !isReplaced && mark.endsWith(BORDER) ? before : mark);
    if (isReplaced) this.#onReplaced(key);
  }

  /** This server makes or destroys the keys of the name. */
  forget(name: string): void {
    for (const kind of ['secret', 'private', 'public'] as const) this.#marks.delete(cacheName({ name, kind }));
  }
}
