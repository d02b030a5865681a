// Stores a key pair that the crypto API creates or imports, in the database or on a token: two objects that are linked with each other.
import type { KeyObject } from 'node:crypto';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import type { PairOptions } from '../../../crypto/key/key-pair.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { type KeyPurpose, keyOperations } from '../../../jose/key-purpose.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { contentOf, draftsOf, keptPair } from '../creation/key-pair.ts';
import { withPair } from '../creation/pair-source.ts';
import { requireAllowed } from '../object/attributes/new-attributes.ts';
import { linkPair, newObject } from '../object/create.ts';
import { createBrought, keeping } from '../object/kept-keys.ts';
import type { Draft } from '../object/managed-object.ts';
import type { PairPlaces } from '../object/place.ts';
import type { OperationContext } from '../operation-context.ts';
import { publicJwk } from './jwk.ts';
import type { Members } from './members.ts';
import { attributesFor } from './new-attributes.ts';
import { badRequest } from './problem.ts';

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

/** Those of the two keys. */
interface PairAttributes {
  readonly privateKey: AttributeSet;
  readonly publicKey: AttributeSet;
}

/**
 * @param bits that the client wants; undefined if it does not say
 * @returns the JWK of the public key, with the identifiers of both
 * @throws Refusal if the algorithm is disabled on this server; Problem bad_request if such keys have another length
 */
export async function storePair(ctx: OperationContext, places: PairPlaces, pair: NewPair, bits: number | undefined): Promise<Members> {
  const { alg, purpose, given, wish } = pair;
  const isWhole = hasPrivateKey(pair);
  const attributes = { privateKey: attributesFor(ctx, purpose.privateMask, purpose), publicKey: attributesFor(ctx, purpose.publicMask, purpose) };
  const publicKey = await (given ? storeGiven(ctx, places, attributes, given, bits) : storeMade(ctx, places, attributes, wish, bits));
  const ids = isWhole ? { kid: places.privateKey.id, kid_public: places.publicKey.id } : { kid: places.publicKey.id };
  const { kty, ...members } = publicJwk(publicKey);
  const mask = isWhole ? purpose.privateMask | purpose.publicMask : purpose.publicMask;
  return { ...ids, kty, ...(alg !== undefined && { alg }), key_ops: keyOperations(mask), ...members };
}

function storeMade(ctx: OperationContext, places: PairPlaces, attributes: PairAttributes, { algorithm, ...options }: PairWish, bits: number | undefined) {
  requireAllowed(algorithm, ctx.server.args.algorithms);
  return withPair(ctx, async (source) => {
    const made = source(algorithm, options, keptPair(ctx, places, attributes.privateKey, attributes.publicKey));
    requireBits(bits, made.length);
    const drafts = draftsOf(ctx, places, algorithm, made, attributes.privateKey, attributes.publicKey);
    await ctx.create(async (tx) => {
      for (const draft of [drafts.privateKey, drafts.publicKey]) await tx.create('key.create', draft);
    });
    return made.publicKey;
  });
}

async function storeGiven(ctx: OperationContext, places: PairPlaces, attributes: PairAttributes, given: GivenPair, bits: number | undefined) {
  const { privateKey, publicKey } = given;
  const { algorithm, length, curve } = keyFacts(publicKey);
  requireBits(bits, length);
  requireAllowed(algorithm, ctx.server.args.algorithms);
  const { keeper } = places.publicKey.source;
  const taken: string[] = [];
  const draft = async (kind: 'PrivateKey' | 'PublicKey', half: keyof PairAttributes): Promise<Draft> => {
    const [place, own, type] = [places[half], attributes[half], ENUM.ObjectType[kind]];
    let content = contentOf(kind, algorithm, { privateKey, publicKey, length });
    if (keeper) {
      content = await keeper.take(ctx, place.id, type, content, own);
      taken.push(place.id);
    }
    if (curve !== undefined) own.set(structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve[curve])]));
    return newObject(ctx, { place, type, content, attributes: own, brought: true });
  };
  await keeping(keeper, taken, async () => {
    const own = privateKey && (await draft('PrivateKey', 'privateKey'));
    const other = await draft('PublicKey', 'publicKey');
    if (own) linkPair(own, other);
    await createBrought(ctx, keeper, own ? [own, other] : [other], 'key.import');
  });
  return publicKey;
}

/** The length of most keys follows from `crv` or `alg`: `bits` chooses no other one. @param length of the key */
function requireBits(bits: number | undefined, length: number): void {
  if (bits !== undefined && bits !== length) throw badRequest(`bits must be ${length}, the length of this key: crv or alg chooses another`);
}
