// What may be read from a token: the public half of a pair, and secrets that are not sensitive.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { Refusal } from '../../../../kmip/refusal.ts';
import type { ManagedObject } from '../managed-object.ts';
import type { KeyOnToken } from './key-on-token.ts';
import { publicKeyOf } from './public-key.ts';

const halves = new WeakMap<ManagedObject, KeyObject>();

/** The public key of a private key, read once for each object in the cache. */
export async function publicHalf({ tokens, place }: KeyOnToken, object: ManagedObject): Promise<KeyObject> {
  const known = halves.get(object);
  if (known) return known;
  const { publicKey } = await tokens.call(place, 'to tell the public key', (hsm, slot) => hsm.find(slot, { name: place.name, kind: 'private' }));
  const half = publicKey && publicKeyOf(publicKey);
  if (!half) throw new Refusal('ItemNotFound', `the token has no public key of ${object.id}, or one on a curve that this server does not know`);
  halves.set(object, half);
  return half;
}

/** What is known already of the public key of a private key. */
export function rememberHalf(object: ManagedObject, half: KeyObject): void {
  halves.set(object, half);
}

/** @throws Refusal NotExtractable for a private key, and what the token refuses */
export async function secretFrom({ tokens, place, kind }: KeyOnToken): Promise<KeyObject> {
  if (kind !== 'secret') throw new Refusal('NotExtractable', 'DENIED: private keys do not leave their token');
  const value = await tokens.call(place, 'to give its value', (hsm, slot) => hsm.value(slot, { name: place.name, kind }));
  const secret = createSecretKey(value);
  value.fill(0);
  return secret;
}
