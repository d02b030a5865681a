// Makes, takes, reads and destroys the keys of a token.
import type pkcs11js from 'pkcs11js';
import { CKA } from '../../../kmip/pkcs11.ts';
import type { BroughtKey, KeyOptions, PairOptions, RsaNumbers, SecretOptions, TokenKey, TokenKeyName } from '../api.ts';
import { requireBytes } from './answer-length.ts';
import { lengthIn } from './attributes.ts';
import { requireAlone, requireFree } from './free-name.ts';
import { MechanismMissing, toMechanism } from './mechanism.ts';
import { isStaleObject, isStaleSession, returnValue } from './return-value.ts';
import { broughtTemplate, changed, pairTemplates, secretTemplate } from './template.ts';
import type { Token } from './token.ts';
import { bringWrapped, takesNoValues } from './transport.ts';

const GENERATE = { AES: 'CKM_AES_KEY_GEN', GENERIC: 'CKM_GENERIC_SECRET_KEY_GEN' } as const;
const GENERATE_PAIR = {
  EC: ['CKM_EC_KEY_PAIR_GEN'],
  ED: ['CKM_EC_EDWARDS_KEY_PAIR_GEN'],
  X: ['CKM_EC_MONTGOMERY_KEY_PAIR_GEN', 'CKM_EC_EDWARDS_KEY_PAIR_GEN'],
} as const;

/** How far one call has come: its work runs again if the token drops the session. */
export interface Making {
  isMade: boolean;
}

/**
 * What was made, by its first key. If the token does not tell it, the caller gets an error, and nothing stays that has the name; if only the session has
 * ended, it is told in another one. A token that refuses the making itself may have made the key all the same, but so may another node under that name:
 * that key stays for whoever administers the token, as one that is made too late does.
 */
function told(token: Token, keys: readonly [TokenKeyName, ...TokenKeyName[]], made: readonly pkcs11js.Handle[] = []): TokenKey {
  let first: TokenKey;
  try {
    first = token.describe(keys[0], made[0]);
  } catch (error) {
    if (!isStaleSession(error) && !isStaleObject(error)) destroyAll(token, keys, made);
    throw error;
  }
  // Last: if the token goes away now, it has the key, and a refusal would leave one that nobody knows of.
  if (made.length > 0) requireAlone(token, keys, made);
  return first;
}

/** @param made the handles of the keys; without them, those of another session made them, and they go by their names */
function destroyAll(token: Token, keys: readonly TokenKeyName[], made: readonly pkcs11js.Handle[]): void {
  for (const [at, key] of keys.entries()) {
    const handle = made[at];
    try {
      if (handle) token.library.C_DestroyObject(token.session, handle);
      else destroy(token, key);
    } catch {
      // The token is away. Whoever administers it finds the key later.
    }
  }
}

/** @throws KeyExists, MechanismMissing */
export function generate(token: Token, options: SecretOptions, making: Making): TokenKey {
  const key = { name: options.name, kind: 'secret' } as const;
  if (making.isMade) return told(token, [key]);
  requireFree(token, key);
  const mechanism = toMechanism({ name: GENERATE[options.type] }, token);
  const template = changed(secretTemplate(options), token.quirks.attributes, 'secret');
  const handle = token.library.C_GenerateKey(token.session, mechanism, template);
  making.isMade = true;
  return told(token, [key], [handle]);
}

/** @returns the private key, with the public one */
export function generatePair(token: Token, options: PairOptions, making: Making): TokenKey {
  const { name, type } = options;
  const keys = [{ name, kind: 'private' } as const, { name, kind: 'public' } as const] as const;
  if (making.isMade) return told(token, keys);
  for (const key of keys) requireFree(token, key);
  const names = 'rsaBits' in type ? ['CKM_RSA_PKCS_KEY_PAIR_GEN'] : GENERATE_PAIR[type.curve];
  // SoftHSM makes X25519 keys with the mechanism of the Edwards curves, others with one of their own.
  const chosen = names.find((each) => isThere(token, each)) ?? names[0];
  const mechanism = toMechanism({ name: chosen as string }, token);
  const { attributes } = token.quirks;
  const templates = pairTemplates(options, token.mechanisms);
  const publicKey = changed(templates.publicKey, attributes, 'public');
  const privateKey = changed(templates.privateKey, attributes, 'private');
  const made = token.library.C_GenerateKeyPair(token.session, mechanism, publicKey, privateKey);
  making.isMade = true;
  return told(token, keys, [made.privateKey, made.publicKey]);
}

function isThere(token: Token, name: string): boolean {
  try {
    toMechanism({ name }, token);
    return true;
  } catch {
    return false;
  }
}

/** One of them a token needs for a key on a curve; with none of them it could only store it. */
const NEEDED = {
  ...{ EC: ['CKM_ECDSA', 'CKM_ECDH1_DERIVE'], ED: ['CKM_EDDSA'], X: GENERATE_PAIR.X },
  ...{ RSA: [], AES: [], GENERIC: [] },
} as const;

/** @throws KeyExists, MechanismMissing */
export function bring(token: Token, options: KeyOptions, brought: BroughtKey, making: Making): TokenKey {
  const key = { name: options.name, kind: brought.kind };
  if (making.isMade) return told(token, [key]);
  requireFree(token, key);
  const [first, ...others] = NEEDED[typeOf(brought)];
  if (first !== undefined && ![first, ...others].some((name) => isThere(token, name))) throw new MechanismMissing(first);
  const template = changed(broughtTemplate(options, brought, token.mechanisms), token.quirks.attributes, brought.kind);
  const handle = put(token, brought, template);
  making.isMade = true;
  return told(token, [key], [handle]);
}

/** As a value, or wrapped where the token takes no values. @throws what the token says to the value */
function put(token: Token, brought: BroughtKey, template: pkcs11js.Attribute[]): pkcs11js.Handle {
  try {
    return token.library.C_CreateObject(token.session, template);
  } catch (error) {
    const handle = takesNoValues(returnValue(error)) ? wrappedOrNone(token, brought, template) : undefined;
    if (handle === undefined) throw error;
    return handle;
  }
}

/** What the token says to the value tells more than what it says to the wrapped key. */
function wrappedOrNone(token: Token, brought: BroughtKey, template: pkcs11js.Attribute[]): pkcs11js.Handle | undefined {
  try {
    return bringWrapped(token, brought, template);
  } catch (error) {
    if (isStaleSession(error)) throw error;
    return undefined;
  }
}

function typeOf(brought: BroughtKey): keyof typeof NEEDED {
  if (brought.kind === 'public') return brought.key.type;
  return 'type' in brought ? brought.type : 'RSA';
}

/** A key that has only its label in common with this one stays. */
export function destroy(token: Token, key: TokenKeyName): void {
  const handle = token.lookUpOwn(key);
  token.forget(key);
  if (handle) token.library.C_DestroyObject(token.session, handle);
}

/** @throws the error of the token for a key that is sensitive */
export function readValue(token: Token, key: TokenKeyName): Uint8Array {
  const handle = token.handle(key, true);
  const [attribute] = token.library.C_GetAttributeValue(token.session, handle, [{ type: CKA.VALUE }]) as { value: Buffer }[];
  const value = new Uint8Array(attribute?.value ?? []);
  const bytes = lengthIn(token.read(handle, CKA.VALUE_LEN));
  requireBytes('CKA_VALUE', value.length, bytes || 1, bytes || Number.POSITIVE_INFINITY);
  return value;
}

const RSA_NUMBERS = {
  ...{ n: CKA.MODULUS, e: CKA.PUBLIC_EXPONENT, d: CKA.PRIVATE_EXPONENT, p: CKA.PRIME_1, q: CKA.PRIME_2 },
  ...{ dp: CKA.EXPONENT_1, dq: CKA.EXPONENT_2, qi: CKA.COEFFICIENT },
} as const;

/** @throws the error of the token for a key that is sensitive, and for one of another type */
export function readPrivateKey(token: Token, key: TokenKeyName): BroughtKey {
  const handle = token.handle(key, true);
  const read = (type: number): Uint8Array => {
    const [attribute] = token.library.C_GetAttributeValue(token.session, handle, [{ type }]) as { value: Buffer }[];
    return new Uint8Array(attribute?.value ?? []);
  };
  const { type } = token.describe(key, handle);
  if (type === 'EC' || type === 'ED' || type === 'X') return { kind: 'private', type, params: read(CKA.EC_PARAMS), scalar: read(CKA.VALUE) };
  const numbers = Object.entries(RSA_NUMBERS).map(([name, attribute]) => [name, read(attribute)]);
  return { kind: 'private', rsa: Object.fromEntries(numbers) as RsaNumbers };
}
