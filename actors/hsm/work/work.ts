// The work of each call on the keys of a token, in whichever thread it runs, and which of it takes long.
import type { BroughtKey, KeyOptions, PairOptions, SecretOptions, TokenKeyName, TokenMechanism } from '../api.ts';
import { find } from '../token/find-key.ts';
import { listKeys } from '../token/key-listing.ts';
import { markOf } from '../token/key-marks.ts';
import { bring, destroy, generate, generatePair, type Making, readPrivateKey, readValue } from '../token/key-store.ts';
import { decrypt, derive, encrypt, sign, unwrap, wrap, wrapKey } from '../token/key-use.ts';
import { orPinWanted } from '../token/pin-wanted.ts';
import type { Token } from '../token/token.ts';

/** Each runs without a pause in one session. `making` tells how far a call has come that runs again. */
const WORK = {
  list: (token: Token, _: Making) => listKeys(token),
  find: (token: Token, _: Making, key: TokenKeyName) => find(token, key),
  /** The handle, which all sessions of the server share. */
  search: (token: Token, _: Making, key: TokenKeyName) => {
    const handle = token.handle(key);
    return { handle: new Uint8Array(handle), mark: markOf(token, handle, key) };
  },
  generate: (token: Token, making: Making, options: SecretOptions) => generate(token, options, making),
  generatePair: (token: Token, making: Making, options: PairOptions) => generatePair(token, options, making),
  bring: (token: Token, making: Making, options: KeyOptions, key: BroughtKey) => bring(token, options, key, making),
  destroy: (token: Token, _: Making, key: TokenKeyName) => destroy(token, key),
  /** Of a wrapped key, which is unwrapped before. */
  hold: (token: Token, _: Making, key: TokenKeyName) => token.describe(key),
  value: (token: Token, _: Making, key: TokenKeyName) => readValue(token, key),
  give: (token: Token, _: Making, key: TokenKeyName) => readPrivateKey(token, key),
  wrapKey: (token: Token, _: Making, key: TokenKeyName, mechanism: TokenMechanism, target: TokenKeyName) => wrapKey(token, key, mechanism, target),
  encrypt: (token: Token, _: Making, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array) => encrypt(token, key, mechanism, data),
  decrypt: (token: Token, _: Making, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array) => decrypt(token, key, mechanism, data),
  sign: (token: Token, _: Making, key: TokenKeyName, mechanism: TokenMechanism, data: Uint8Array) => sign(token, key, mechanism, data),
  wrap: (token: Token, _: Making, key: TokenKeyName, mechanism: TokenMechanism, material: Uint8Array) => wrap(token, key, mechanism, material),
  unwrap: (token: Token, _: Making, key: TokenKeyName, mechanism: TokenMechanism, wrapped: Uint8Array) => unwrap(token, key, mechanism, wrapped),
  derive: (token: Token, _: Making, key: TokenKeyName, mechanism: TokenMechanism, length: number) => derive(token, key, mechanism, length),
} as const;

export type WorkName = keyof typeof WORK;
export type WorkArgs<N extends WorkName> = (typeof WORK)[N] extends (token: Token, making: Making, ...args: infer A) => unknown ? A : never;
export type WorkValue<N extends WorkName> = ReturnType<(typeof WORK)[N]>;

/** What lists keys, makes or takes them: none of it may hold up the uses of other keys. */
const LONG: ReadonlySet<WorkName> = new Set(['list', 'generate', 'generatePair', 'bring', 'destroy']);
/** Searches for one key, which may take long too, but must not wait for those: a use waits for them. */
const LOOKUPS: ReadonlySet<WorkName> = new Set(['find', 'search']);

/** What makes or destroys the key whose name is in its first argument. */
const CHANGES: ReadonlySet<WorkName> = new Set(['generate', 'generatePair', 'bring', 'destroy']);

/** @returns the name of the key that the call makes or destroys; undefined for any other call */
export const changedName = ({ name, args }: Work): string | undefined => (CHANGES.has(name) ? (args[0] as { readonly name: string }).name : undefined);

export const isLong = (name: WorkName): boolean => LONG.has(name);
export const isLookup = (name: WorkName): boolean => LOOKUPS.has(name);

/** One call, as it is kept until its turn. */
export interface Work<N extends WorkName = WorkName> {
  readonly name: N;
  readonly args: WorkArgs<N>;
  readonly making: Making;
}

/** The key that a use needs the handle of. */
export function usedKey({ name, args }: Work): TokenKeyName | undefined {
  return isLong(name) || isLookup(name) ? undefined : (args[0] as TokenKeyName);
}

export function doWork<N extends WorkName>(token: Token, { name, args, making }: Work<N>): WorkValue<N> {
  const work = WORK[name] as (token: Token, making: Making, ...args: unknown[]) => WorkValue<N>;
  try {
    return work(token, making, ...args);
  } catch (error) {
    throw orPinWanted(token, usedKey({ name, args, making } as Work), error);
  }
}
