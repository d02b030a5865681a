// What may be read from a token: the public half of a pair, and keys that are not sensitive.
import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import { generatePair } from '../../../../crypto/key/key-pair.ts';
import { importRaw } from '../../../../crypto/key/raw-key.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { curveOf } from '../key-attributes.ts';
import type { ManagedObject } from '../managed-object.ts';
import type { KeyOnToken } from './key-on-token.ts';
import { CURVES, type Curve, curveOfParams, publicKeyOf } from './public-key.ts';

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

const standIns = new Map<string, KeyObject>();

/**
 * The public key as far as a signature looks at it, which is the curve: a private key signs whether or not its public key is still on the token.
 * @throws what the token refuses
 */
export async function signingHalf(token: KeyOnToken, object: ManagedObject): Promise<KeyObject> {
  try {
    return await publicHalf(token, object);
  } catch (error) {
    const asked = curveOf(object);
    const known = CURVES.find(({ curve }) => curve === asked);
    if (!(error instanceof Refusal && error.reason === 'ItemNotFound') || !known) throw error;
    return standInOn(known);
  }
}

/** Some public key on the curve, for who wants to know no more of one. */
export function standInOn({ algorithm, curve }: Pick<Curve, 'algorithm' | 'curve'>): KeyObject {
  const standIn = standIns.get(curve) ?? generatePair(algorithm, { curve }).publicKey;
  standIns.set(curve, standIn);
  return standIn;
}

/** What is known already of the public key of a private key. */
export function rememberHalf(object: ManagedObject, half: KeyObject): void {
  halves.set(object, half);
}

/** @throws what the token refuses */
export async function materialFrom(token: KeyOnToken): Promise<KeyObject> {
  const { tokens, place, kind } = token;
  if (kind === 'private') return privateKeyFrom(token);
  const value = await tokens.call(place, 'to give its value', (hsm, slot) => hsm.value(slot, { name: place.name, kind }));
  const secret = createSecretKey(value);
  value.fill(0);
  return secret;
}

/** @throws Refusal UnsupportedCryptographicParameters for a key on a curve that this server does not know */
async function privateKeyFrom({ tokens, place, kind, id }: KeyOnToken): Promise<KeyObject> {
  const given = await tokens.call(place, 'to give its value', (hsm, slot) => hsm.give(slot, { name: place.name, kind }));
  if ('rsa' in given) {
    const numbers = Object.fromEntries(Object.entries(given.rsa).map(([name, number]) => [name, Buffer.from(number).toString('base64url')]));
    for (const number of Object.values(given.rsa)) number.fill(0);
    return createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...numbers } });
  }
  const known = given.kind === 'private' ? curveOfParams(given.params) : undefined;
  if (given.kind !== 'private' || !known) throw new Refusal('UnsupportedCryptographicParameters', `${id} is on a curve that this server does not know`);
  const key = importRaw('PrivateKey', given.scalar, known.algorithm, known.curve);
  given.scalar.fill(0);
  return key;
}
