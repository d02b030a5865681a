// Checks whether a name on a token is free for a new key: before the key is made, and once more afterwards, because other nodes use the token too.
import type pkcs11js from 'pkcs11js';
import type { TokenKeyKind, TokenKeyName } from '../api.ts';
import { KIN } from './key-kin.ts';
import { KeyAmbiguous, type Token } from './token.ts';

/** A key of the name and class exists. */
export class KeyExists extends Error {}

/** Before a key is made. @throws KeyExists */
export function requireFree(token: Token, { name, kind }: TokenKeyName): void {
  for (const each of KIN[kind]) if (count(token, name, each) > 0) throw new KeyExists(`the token already has a ${each} key ${name}`);
}

/**
 * Another node may have found the name free at the same moment, and made a key of it. Then it would name two keys, and nobody could use or destroy either.
 * Who sees both gives way: who made the later one sees both, so that one stays at most.
 * @param made the handles of the keys, because their names may be those of others too @throws KeyExists
 */
export function requireAlone(token: Token, keys: readonly TokenKeyName[], made: readonly pkcs11js.Handle[]): void {
  const shared = sharedOf(token, keys);
  if (!shared) return;
  for (const handle of made) token.library.C_DestroyObject(token.session, handle);
  throw new KeyExists(`the token got another key ${shared.name} at the same time`);
}

/** @returns undefined also if the token does not say it any more: then this is left to who uses the key */
function sharedOf(token: Token, keys: readonly TokenKeyName[]): TokenKeyName | undefined {
  try {
    return keys.find(({ name, kind }) => KIN[kind].some((each) => count(token, name, each) > (each === kind ? 1 : 0)));
  } catch {
    return undefined;
  }
}

/** How many keys have the name; 2 stands for several. */
function count(token: Token, name: string, kind: TokenKeyKind): 0 | 1 | 2 {
  try {
    return token.lookUp({ name, kind }) ? 1 : 0;
  } catch (error) {
    if (error instanceof KeyAmbiguous) return 2;
    throw error;
  }
}
