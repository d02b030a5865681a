// Creates a key pair from the attributes of a request, as two objects that are linked with each other.
import type { KeyObject } from 'node:crypto';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { type AttributeSet, sameNode } from '../../../kmip/attribute/set.ts';
import { keyBlock } from '../../../kmip/key-block.ts';
import { defaultFormat, exportKey } from '../../../kmip/key-format/key-format.ts';
import type { KeyFormatType } from '../../../kmip/key-format/key-format-type.ts';
import { PUBLIC_END } from '../../../kmip/pair-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { tagName } from '../../../kmip/ttlv/names.ts';
import { enumeration, integer, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { givenAlgorithm, givenCurve, givenFormat, givenLength, requireAllowed } from '../object/attributes/new-attributes.ts';
import { requireQuantumSafe } from '../object/attributes/quantum-safe.ts';
import { linkPair, newObject } from '../object/create.ts';
import { keptContent } from '../object/hsm-key/shape.ts';
import type { MadePair } from '../object/key-keeper.ts';
import type { Draft } from '../object/managed-object.ts';
import { chosenIn, type PairPlaces, pairPlaces } from '../object/place.ts';
import type { OperationContext } from '../operation-context.ts';
import type { KeptPair, PairSketch, PairSource } from './pair-source.ts';

const { ObjectType } = ENUM;

export interface PairDrafts {
  readonly privateKey: Draft;
  readonly publicKey: Draft;
}

/**
 * Creates a pair that fits the attributes. @param replaced the pair that it replaces
 * @throws Refusal if attributes are missing, contradict each other, or cannot be met
 */
export function newPair(
  ctx: OperationContext,
  privateAttributes: AttributeSet,
  publicAttributes: AttributeSet,
  source: PairSource,
  replaced?: Parameters<typeof pairPlaces>[2],
): PairDrafts {
  const algorithm = agreed('cryptographic algorithm', givenAlgorithm(privateAttributes), givenAlgorithm(publicAttributes));
  if (algorithm === undefined) throw new Refusal('InvalidField', 'the cryptographic algorithm must be specified');
  requireAllowed(algorithm, ctx.server.args.algorithms);
  const length = agreed('cryptographic length', givenLength(privateAttributes), givenLength(publicAttributes));
  const curve = agreed('recommended curve', givenCurve(privateAttributes), givenCurve(publicAttributes));
  for (const attributes of [privateAttributes, publicAttributes]) requireQuantumSafe(attributes, algorithm, length ?? 0);
  const chosen = chosenIn(privateAttributes.nodes());
  const places = pairPlaces(ctx, chosen, replaced);
  requirePublicPlace(ctx, places, chosen, chosenIn(publicAttributes.nodes()));
  const kept = keptPair(ctx, places, privateAttributes, publicAttributes);
  const sketch = sketchOf(algorithm, length, privateAttributes, publicAttributes);
  const pair = source(algorithm, { ...(length === undefined ? {} : { length }), ...(curve === undefined ? {} : { curve }) }, kept, sketch);
  return draftsOf(ctx, places, algorithm, pair, privateAttributes, publicAttributes);
}

/**
 * The identifier of a public key follows from that of the private key, so a pair could be made elsewhere than its client believes, as in the database
 * and not in an HSM.
 * @param asked for the public key; an identifier among the common attributes is that of the private key
 */
function requirePublicPlace({ server }: OperationContext, { publicKey }: PairPlaces, chosen: string | undefined, asked: string | undefined): void {
  if (asked === undefined || asked === chosen || server.objects.canonical(asked) === publicKey.id) return;
  const what = chosen === undefined ? `give the private key one, and that of the public key is the same with the end ${PUBLIC_END}` : `it is ${publicKey.id}`;
  throw new Refusal('InvalidField', `the identifier of the public key follows from that of the private key: ${what}`);
}

function sketchOf(algorithm: CryptographicAlgorithm, length: number | undefined, privateAttributes: AttributeSet, publicAttributes: AttributeSet): PairSketch {
  const sketch = (type: number, given: AttributeSet) => {
    const attributes = given.copy();
    attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]));
    attributes.remove(TAG.CryptographicLength);
    // Of other algorithms the keys may have another length than the one that is given.
    if (algorithm === 'RSA' && length !== undefined) attributes.set(integer(TAG.CryptographicLength, length));
    return { type, attributes };
  };
  return [sketch(ObjectType.PrivateKey, privateAttributes), sketch(ObjectType.PublicKey, publicAttributes)];
}

/** Undefined if the keys are stored with their objects. */
export function keptPair(
  ctx: OperationContext,
  { privateKey, publicKey }: PairPlaces,
  privateAttributes: AttributeSet,
  publicAttributes: AttributeSet,
): KeptPair | undefined {
  const { id, source } = privateKey;
  const { keeper } = source;
  return (
    keeper && {
      id,
      make: (algorithm, options) => keeper.makePair(ctx, id, { algorithm, options, privateAttributes, publicAttributes }),
      undo: () => keeper.discard([id, publicKey.id]),
    }
  );
}

function agreed<T>(what: string, one: T | undefined, other: T | undefined): T | undefined {
  if (one !== undefined && other !== undefined && one !== other) throw new Refusal('InvalidField', `the ${what} of the two keys must be the same`);
  return one ?? other;
}

/**
 * The two keys of a new pair have the same parameters (KMIP 2.1 table 191): what one of them is given is the other's too.
 * @throws Refusal InvalidField if both are given some, and they differ
 */
export function shareParameters(one: AttributeSet, other: AttributeSet): void {
  for (const tag of [TAG.CryptographicDomainParameters, TAG.CryptographicParameters]) {
    const [ours, theirs] = [one.all(tag), other.all(tag)];
    if (ours.length === 0) for (const { node } of theirs) one.add(node);
    else if (theirs.length === 0) for (const { node } of ours) other.add(node);
    else if (ours.length !== theirs.length || !ours.every(({ node }) => theirs.some((value) => sameNode(value.node, node))))
      throw new Refusal('InvalidField', `the ${tagName(tag)} of the two keys must be the same`);
  }
}

/** The two objects of a pair that was made, linked with each other. */
export function draftsOf(
  ctx: OperationContext,
  places: PairPlaces,
  algorithm: CryptographicAlgorithm,
  pair: MadePair,
  privateAttributes: AttributeSet,
  publicAttributes: AttributeSet,
): PairDrafts {
  for (const attributes of [privateAttributes, publicAttributes]) describe(attributes, algorithm, pair);
  // A UniqueIdentifier in the common attributes is that of the private key; the one of the public key is derived from it.
  publicAttributes.remove(TAG.UniqueIdentifier);
  const privateKey = newObject(ctx, {
    place: places.privateKey,
    type: ObjectType.PrivateKey,
    content: contentOf('PrivateKey', algorithm, pair, givenFormat(privateAttributes)),
    attributes: privateAttributes,
  });
  const publicKey = newObject(ctx, {
    place: places.publicKey,
    type: ObjectType.PublicKey,
    content: contentOf('PublicKey', algorithm, pair, givenFormat(publicAttributes)),
    attributes: publicAttributes,
  });
  linkPair(privateKey, publicKey);
  return { privateKey, publicKey };
}

function describe(attributes: AttributeSet, algorithm: CryptographicAlgorithm, { length, curve }: MadePair): void {
  attributes.set(enumeration(TAG.CryptographicAlgorithm, ENUM.CryptographicAlgorithm[algorithm]));
  attributes.set(integer(TAG.CryptographicLength, length));
  if (curve !== undefined && !attributes.has(TAG.CryptographicDomainParameters))
    attributes.set(structure(TAG.CryptographicDomainParameters, [enumeration(TAG.RecommendedCurve, ENUM.RecommendedCurve[curve])]));
}

/** @param asked the format that the client wants (KMIP 2.1 section 4.26) */
export function contentOf(
  kind: 'PrivateKey' | 'PublicKey',
  algorithm: CryptographicAlgorithm,
  { privateKey, publicKey, length }: Pick<MadePair, 'privateKey' | 'publicKey' | 'length'>,
  asked?: KeyFormatType,
): Structure {
  if (kind === 'PrivateKey' && privateKey === undefined) return keptContent(TAG.PrivateKey, algorithm, length);
  const key = kind === 'PrivateKey' && privateKey !== undefined ? privateKey : publicKey;
  const usual = defaultFormat(kind, algorithm);
  // Clients ask for a format that only one key of the pair can have, for both, and for ECPrivateKey whatever the curve.
  const made = asked && exportedAs(key, asked);
  const { format, material } = made ?? { format: usual, material: exportKey(key, usual) };
  return structure(TAG[kind], [keyBlock({ format, material, algorithm, length })]);
}

/** @returns undefined if the key cannot have this format */
function exportedAs(key: KeyObject, format: KeyFormatType): { format: KeyFormatType; material: ReturnType<typeof exportKey> } | undefined {
  try {
    return { format, material: exportKey(key, format) };
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'KeyFormatTypeNotSupported') return undefined;
    throw error;
  }
}
