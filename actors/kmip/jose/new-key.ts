// Stores the keys that the crypto API creates or imports: ordinary objects, active at once, the two keys of a pair linked with each other.
import type { KeyObject } from 'node:crypto';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import type { CryptographicAlgorithm, RecommendedCurve } from '../../../crypto/parameters.ts';
import { type KeyPurpose, keyOperations } from '../../../jose/key-purpose.ts';
import { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlock, symmetricKey } from '../../../kmip/key-block.ts';
import { defaultFormat, exportKey } from '../../../kmip/key-format/key-format.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { dateTime, enumeration, integer, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireAllowed } from '../object/attributes/new-attributes.ts';
import { newObject, setLink } from '../object/create.ts';
import type { Draft } from '../object/managed-object.ts';
import type { PairPlaces, Place } from '../object/place.ts';
import type { OperationContext } from '../operation-context.ts';
import { publicJwk } from './jwk.ts';
import type { Members } from './members.ts';

const { ObjectType } = ENUM;

interface NewSecret {
  readonly place: Place;
  readonly key: Uint8Array;
  readonly algorithm: CryptographicAlgorithm;
  readonly alg: string;
  readonly purpose: KeyPurpose;
  /** Whether the bytes came from the client. */
  readonly imported: boolean;
}

export interface NewPair {
  /** Absent if only a public key was imported. */
  readonly privateKey?: KeyObject;
  readonly publicKey: KeyObject;
  readonly alg: string | undefined;
  readonly purpose: KeyPurpose;
  readonly imported: boolean;
}

/** @returns the JWK of the new key without its secret members @throws Refusal if the algorithm is disabled on this server */
export async function storeSecret(ctx: OperationContext, { place, key, algorithm, alg, purpose, imported }: NewSecret): Promise<Members> {
  requireAllowed(algorithm, ctx.server.args.algorithms);
  const mask = purpose.privateMask | purpose.publicMask;
  const object = newObject(ctx, { place, type: ObjectType.SymmetricKey, content: symmetricKey(key, algorithm), attributes: attributesOf(ctx, mask, purpose) });
  await store(ctx, [object], imported);
  return { kid: object.id, kty: 'oct', alg, key_ops: keyOperations(mask) };
}

/** @returns the JWK of the public key, with the identifiers of both @throws Refusal if the algorithm is disabled on this server */
export async function storePair(ctx: OperationContext, places: PairPlaces, { privateKey, publicKey, alg, purpose, imported }: NewPair): Promise<Members> {
  const publicObject = half(ctx, places.publicKey, publicKey, purpose);
  const privateObject = privateKey && half(ctx, places.privateKey, privateKey, purpose);
  if (privateObject) {
    setLink(privateObject, 'PublicKeyLink', publicObject.id);
    setLink(publicObject, 'PrivateKeyLink', privateObject.id);
  }
  await store(ctx, privateObject ? [privateObject, publicObject] : [publicObject], imported);
  const { kty, ...members } = publicJwk(publicKey);
  const keys = privateObject ? { kid: privateObject.id, kid_public: publicObject.id } : { kid: publicObject.id };
  const mask = privateObject ? purpose.privateMask | purpose.publicMask : purpose.publicMask;
  return { ...keys, kty, ...(alg !== undefined && { alg }), key_ops: keyOperations(mask), ...members };
}

async function store(ctx: OperationContext, objects: readonly Draft[], imported: boolean): Promise<void> {
  await ctx.create(async (tx) => {
    for (const object of objects) await tx.create(imported ? 'key.import' : 'key.create', object);
  });
}

function half(ctx: OperationContext, place: Place, key: KeyObject, purpose: KeyPurpose): Draft {
  const { algorithm, length, curve } = keyFacts(key);
  requireAllowed(algorithm, ctx.server.args.algorithms);
  const kind = key.type === 'private' ? 'PrivateKey' : 'PublicKey';
  const format = defaultFormat(kind, algorithm);
  const block = keyBlock({ format, material: exportKey(key, format), algorithm, length });
  return newObject(ctx, {
    place,
    type: ObjectType[kind],
    content: structure(TAG[kind], [block]),
    attributes: attributesOf(ctx, kind === 'PrivateKey' ? purpose.privateMask : purpose.publicMask, purpose, curve),
  });
}

function attributesOf(ctx: OperationContext, mask: number, { parameters }: KeyPurpose, curve?: RecommendedCurve): AttributeSet {
  const attributes = new AttributeSet();
  attributes.set(integer(TAG.CryptographicUsageMask, mask));
  attributes.set(dateTime(TAG.ActivationDate, ctx.now));
  if (parameters) attributes.set(parameters);
  if (curve !== undefined) attributes.set(structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve[curve])]));
  return attributes;
}
