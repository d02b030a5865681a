// Opens a key of the database that is wrapped by a key on a token: there, where its value stays, if the token unwraps it.
import { createHash, type KeyObject } from 'node:crypto';
import { keyFacts } from '../../../../crypto/key/key-algorithm.ts';
import { refusalOf as refusalIn } from '../../../../kmip/crypto-refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import type { TokenKey, WrappedKey as WrappedTokenKey } from '../../../hsm/api.ts';
import type { Key, WrappedMaterial } from '../key.ts';
import { algorithmOf, lengthOf } from '../key-attributes.ts';
import type { ManagedObject } from '../managed-object.ts';
import { KeyOnToken } from './key-on-token.ts';
import { publicKeyOf } from './public-key.ts';
import { usesOf } from './shape.ts';
import { keyMechanism } from './token-cipher.ts';
import { rememberHalf } from './token-material.ts';
import { refusalOf } from './token-refusal.ts';
import { WrappedKey } from './wrapped-key.ts';

/** The key that wraps, as this server sees it. */
export interface Holder {
  readonly token: KeyOnToken;
  readonly key: Key;
  /** The key that a token has unwrapped. */
  open(token: KeyOnToken): Key;
}

/** Whether the token holds the key of an object; asked once for each object in the cache, and again after a while if it did not. */
const known = new WeakMap<ManagedObject, { readonly isHeld: boolean; readonly until: number }>();
const ASK_AGAIN_MS = 60_000;
const ALWAYS = Number.POSITIVE_INFINITY;

/** @param inClear opens the key on this server @returns undefined if the token does not unwrap it */
export async function holdOnToken(
  { token, key, open }: Holder,
  object: ManagedObject,
  wrapped: WrappedMaterial,
  inClear: () => Promise<Key>,
): Promise<Key | undefined> {
  const before = known.get(object);
  const isAsked = before !== undefined && performance.now() < before.until;
  if (isAsked && !before.isHeld) return undefined;
  const there = passing({ token, key }, object, wrapped);
  if (!there) return undefined;
  if (!isAsked) {
    const isHeld = await asks(there, object);
    known.set(object, { isHeld, until: isHeld ? ALWAYS : performance.now() + ASK_AGAIN_MS });
    if (!isHeld) return undefined;
  }
  return new WrappedKey(open(there), inClear);
}

/** The key as the token is to unwrap it; undefined for one that tokens do not take. */
function passing({ token, key }: Omit<Holder, 'open'>, object: ManagedObject, wrapped: WrappedMaterial): KeyOnToken | undefined {
  const type = typeOf(object, wrapped);
  const mechanism = type && orNone(() => keyMechanism(token, key, wrapped.parameters, wrapped.iv));
  if (!type || !mechanism) return undefined;
  const value = new Uint8Array(wrapped.data);
  const uses = usesOf(object.attributes);
  const name = createHash('sha256')
    .update(JSON.stringify([object.id, key.id, mechanism, uses, type], plain))
    .update(value)
    .digest('hex');
  const as: WrappedTokenKey = { by: token.name, mechanism, value, type, uses, of: [object.id, key.id] };
  return new KeyOnToken(token.tokens, object, { place: token.place, name: { name, kind: type === 'RSA' ? 'private' : 'secret', wrapped: as } });
}

const plain = (_: string, value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);

function typeOf(object: ManagedObject, { format }: WrappedMaterial): WrappedTokenKey['type'] | undefined {
  const { SymmetricKey, SecretData, PrivateKey } = ENUM.ObjectType;
  const algorithm = algorithmOf(object);
  if (object.type === PrivateKey) return algorithm === 'RSA' && format === 'PKCS_8' ? 'RSA' : undefined;
  if (object.type === SecretData) return 'GENERIC';
  if (object.type !== SymmetricKey || lengthOf(object) === 0) return undefined;
  return algorithm === 'AES' ? 'AES' : algorithm?.startsWith('HMAC_SHA') ? 'GENERIC' : undefined;
}

/** Asks the token to unwrap it. A token that is away or broken is no reason to have the key elsewhere. */
async function asks({ tokens, place, name }: KeyOnToken, object: ManagedObject): Promise<boolean> {
  const answer = await tokens.ask(place, (hsm, slot) => hsm.hold(slot, name));
  if (answer.ok) return isAsTold(answer.value, object);
  const refusal = refusalOf(answer.failure, place, 'to unwrap the key');
  if (refusal.reason === 'GeneralFailure') throw refusal;
  return false;
}

/** What the attributes say is what uses are checked by. */
function isAsTold(held: TokenKey, object: ManagedObject): boolean {
  if (held.kind !== 'private') return held.bits === 0 || lengthOf(object) === 0 || held.bits === lengthOf(object);
  const half: KeyObject | undefined = held.publicKey && publicKeyOf(held.publicKey);
  if (!half || keyFacts(half).length !== lengthOf(object)) return false;
  rememberHalf(object, half);
  return true;
}

function orNone<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!refusalIn(error)) throw error;
    return undefined;
  }
}
