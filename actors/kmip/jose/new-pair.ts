// Stores a key pair that the crypto API creates or imports, in the database or on a token: two objects that are linked with each other.
import type { KeyObject } from 'node:crypto';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import type { PairOptions } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { type KeyPurpose, keyOperations } from '../../../jose/key-purpose.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlock } from '../../../kmip/key-block.ts';
import { defaultFormat, exportKey } from '../../../kmip/key-format/key-format.ts';
import { withoutPublicEnd } from '../../../kmip/pair-name.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { keptPair } from '../creation/key-pair.ts';
import { type PairSource, withPair } from '../creation/pair-source.ts';
import { requireAllowed } from '../object/attributes/new-attributes.ts';
import { newObject, setLink } from '../object/create.ts';
import { keptContent } from '../object/hsm-key/shape.ts';
import type { Draft } from '../object/managed-object.ts';
import { type Place, pairPlaces } from '../object/place.ts';
import type { OperationContext } from '../operation-context.ts';
import { publicJwk } from './jwk.ts';
import type { Members } from './members.ts';
import { badRequest } from './problem.ts';
import { attributesFor, keeping, store } from './stored-key.ts';

export interface GivenPair {
  /** Absent if the client has only the public key. */
  readonly privateKey?: KeyObject;
  readonly publicKey: KeyObject;
}

/** A pair that is to be made. */
interface PairWish extends PairOptions {
  readonly algorithm: CryptographicAlgorithm;
}

export type NewPair = { readonly alg: string | undefined; readonly purpose: KeyPurpose } & (
  | { readonly given: GivenPair; readonly wish?: never }
  | { readonly wish: PairWish; readonly given?: never }
);

export const hasPrivateKey = ({ given }: NewPair): boolean => given === undefined || given.privateKey !== undefined;

interface Half {
  readonly kind: 'PrivateKey' | 'PublicKey';
  readonly place: Place;
  readonly attributes: AttributeSet;
}

/**
 * @param chosen identifier of the private key, or of a public key alone; undefined for those that the server gives
 * @param bits that the client wants; undefined if it does not say
 * @returns the JWK of the public key, with the identifiers of both
 * @throws Refusal if the algorithm is disabled on this server; Problem bad_request if such keys have another length
 */
export async function storePair(ctx: OperationContext, chosen: string | undefined, pair: NewPair, bits: number | undefined): Promise<Members> {
  const { alg, purpose, given, wish } = pair;
  const isWhole = hasPrivateKey(pair);
  // Asked for before a key is made, which may take long.
  const places = pairPlaces(ctx, isWhole ? chosen : chosen && withoutPublicEnd(chosen));
  const privateHalf: Half = { kind: 'PrivateKey', place: places.privateKey, attributes: attributesFor(ctx, purpose.privateMask, purpose) };
  const publicHalf: Half = { kind: 'PublicKey', place: places.publicKey, attributes: attributesFor(ctx, purpose.publicMask, purpose) };
  const publicKey = await (given ? storeGiven(ctx, privateHalf, publicHalf, given, bits) : storeMade(ctx, privateHalf, publicHalf, wish, bits));
  const ids = isWhole ? { kid: places.privateKey.id, kid_public: places.publicKey.id } : { kid: places.publicKey.id };
  const { kty, ...members } = publicJwk(publicKey);
  const mask = isWhole ? purpose.privateMask | purpose.publicMask : purpose.publicMask;
  return { ...ids, kty, ...(alg !== undefined && { alg }), key_ops: keyOperations(mask), ...members };
}

function storeMade(ctx: OperationContext, privateHalf: Half, publicHalf: Half, { algorithm, ...options }: PairWish, bits: number | undefined) {
  const places = { privateKey: privateHalf.place, publicKey: publicHalf.place };
  return withPair(ctx, async (source: PairSource) => {
    requireAllowed(algorithm, ctx.server.args.algorithms);
    const { privateKey, publicKey } = source(algorithm, options, keptPair(ctx, places, privateHalf.attributes, publicHalf.attributes));
    requireBits(bits, publicKey);
    const { algorithm: made, length } = keyFacts(publicKey);
    const content = privateKey ? contentOf('PrivateKey', privateKey) : keptContent(TAG.PrivateKey, made, length);
    const drafts = linked(draftOf(ctx, privateHalf, content, publicKey), draftOf(ctx, publicHalf, contentOf('PublicKey', publicKey), publicKey));
    await store(ctx, drafts, privateHalf.place.source.keeper, false);
    return publicKey;
  });
}

async function storeGiven(ctx: OperationContext, privateHalf: Half, publicHalf: Half, { privateKey, publicKey }: GivenPair, bits: number | undefined) {
  requireBits(bits, publicKey);
  requireAllowed(keyFacts(publicKey).algorithm, ctx.server.args.algorithms);
  const { keeper } = publicHalf.place.source;
  const taken: string[] = [];
  const take = async ({ kind, place, attributes }: Half, key: KeyObject): Promise<Structure> => {
    const content = contentOf(kind, key);
    if (!keeper) return content;
    const left = await keeper.take(ctx, place.id, ENUM.ObjectType[kind], content, attributes);
    taken.push(place.id);
    return left;
  };
  await keeping(keeper, taken, async () => {
    const brought = true;
    const own = privateKey && draftOf(ctx, privateHalf, await take(privateHalf, privateKey), publicKey, brought);
    const other = draftOf(ctx, publicHalf, await take(publicHalf, publicKey), publicKey, brought);
    await store(ctx, own ? linked(own, other) : [other], keeper, brought);
  });
  return publicKey;
}

/** The length of most keys follows from `crv` or `alg`: `bits` chooses no other one. */
function requireBits(bits: number | undefined, publicKey: KeyObject): void {
  const { length } = keyFacts(publicKey);
  if (bits !== undefined && bits !== length) throw badRequest(`bits must be ${length}, the length of this key: crv or alg chooses another`);
}

function contentOf(kind: Half['kind'], key: KeyObject): Structure {
  const { algorithm, length } = keyFacts(key);
  const format = defaultFormat(kind, algorithm);
  return structure(TAG[kind], [keyBlock({ format, material: exportKey(key, format), algorithm, length })]);
}

function draftOf(ctx: OperationContext, { kind, place, attributes }: Half, content: Structure, publicKey: KeyObject, brought?: true): Draft {
  const { curve } = keyFacts(publicKey);
  if (curve !== undefined) attributes.set(structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve[curve])]));
  return newObject(ctx, { place, type: ENUM.ObjectType[kind], content, attributes, ...(brought && { brought }) });
}

function linked(privateKey: Draft, publicKey: Draft): readonly Draft[] {
  setLink(privateKey, 'PublicKeyLink', publicKey.id);
  setLink(publicKey, 'PrivateKeyLink', privateKey.id);
  return [privateKey, publicKey];
}
