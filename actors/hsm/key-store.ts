// Makes, takes, reads and destroys the keys of a token.
import type { BroughtKey, KeyOptions, PairOptions, SecretOptions, TokenKey, TokenKeyName } from './api.ts';
import { CKA } from './constants.ts';
import { toMechanism } from './mechanism.ts';
import { broughtTemplate, pairTemplates, secretTemplate } from './template.ts';
import type { Token } from './token.ts';

/** A key of the name and class exists. */
export class KeyExists extends Error {}

const GENERATE = { AES: 'CKM_AES_KEY_GEN', GENERIC: 'CKM_GENERIC_SECRET_KEY_GEN' } as const;
const GENERATE_PAIR = {
  EC: ['CKM_EC_KEY_PAIR_GEN'],
  ED: ['CKM_EC_EDWARDS_KEY_PAIR_GEN'],
  X: ['CKM_EC_MONTGOMERY_KEY_PAIR_GEN', 'CKM_EC_EDWARDS_KEY_PAIR_GEN'],
} as const;

function requireFree(token: Token, key: TokenKeyName): void {
  if (token.lookUp(key)) throw new KeyExists(`the token already has a ${key.kind} key ${key.name}`);
}

/** @throws KeyExists, MechanismMissing */
export function generate(token: Token, options: SecretOptions): TokenKey {
  const key = { name: options.name, kind: 'secret' } as const;
  requireFree(token, key);
  const mechanism = toMechanism({ name: GENERATE[options.type] }, token.mechanisms);
  const handle = token.library.C_GenerateKey(token.session, mechanism, secretTemplate(options));
  return token.describe(key, handle);
}

/** @returns the private key, with the public one */
export function generatePair(token: Token, options: PairOptions): TokenKey {
  const { name, type } = options;
  for (const kind of ['private', 'public'] as const) requireFree(token, { name, kind });
  const names = 'rsaBits' in type ? ['CKM_RSA_PKCS_KEY_PAIR_GEN'] : GENERATE_PAIR[type.curve];
  // SoftHSM makes X25519 keys with the mechanism of the Edwards curves, others with one of their own.
  const chosen = names.find((each) => isThere(token, each)) ?? names[0];
  const mechanism = toMechanism({ name: chosen as string }, token.mechanisms);
  const { publicKey, privateKey } = pairTemplates(options, token.mechanisms);
  const made = token.library.C_GenerateKeyPair(token.session, mechanism, publicKey, privateKey);
  return token.describe({ name, kind: 'private' }, made.privateKey);
}

function isThere(token: Token, name: string): boolean {
  try {
    toMechanism({ name }, token.mechanisms);
    return true;
  } catch {
    return false;
  }
}

export function bring(token: Token, options: KeyOptions, brought: BroughtKey): TokenKey {
  const key = { name: options.name, kind: brought.kind };
  requireFree(token, key);
  const handle = token.library.C_CreateObject(token.session, broughtTemplate(options, brought, token.mechanisms));
  return token.describe(key, handle);
}

export function destroy(token: Token, key: TokenKeyName): void {
  const handle = token.lookUp(key);
  token.forget(key);
  if (handle) token.library.C_DestroyObject(token.session, handle);
}

/** @throws the error of the token for a key that is sensitive */
export function readValue(token: Token, key: TokenKeyName): Uint8Array {
  const [attribute] = token.library.C_GetAttributeValue(token.session, token.handle(key), [{ type: CKA.VALUE }]) as { value: Buffer }[];
  return new Uint8Array(attribute?.value ?? []);
}
