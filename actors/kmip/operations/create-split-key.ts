// CreateSplitKey: splits a new or an existing key into parts, each an object of its own (KMIP 2.1 section 6.1.10).
import { randomBytes } from 'node:crypto';
import { keyFacts } from '../../../crypto/key/key-algorithm.ts';
import { checkedLength, generateKey } from '../../../crypto/key/symmetric-key.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import { requireCounts, split } from '../../../crypto/secret-sharing/split.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlockOf } from '../../../kmip/key-block.ts';
import { exportKey } from '../../../kmip/key-format/key-format.ts';
import type { KeyFormatType } from '../../../kmip/key-format/key-format-type.ts';
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { child, codeOf, nameOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { madeFormat } from '../creation/made-format.ts';
import { requireStorage } from '../creation/protection-storage.ts';
import { givenAlgorithm, givenLength, newAttributes, requireAllowed, secretDataLength } from '../object/attributes/new-attributes.ts';
import { newObject, requireCreation, setLink } from '../object/create.ts';
import { requireNoExpectation } from '../object/finding/expected-type.ts';
import { splitKeyContent, splitParametersOf } from '../object/forms/split-key.ts';
import { keyOf } from '../object/key.ts';
import { algorithmOf } from '../object/key-attributes.ts';
import { requireAvailable } from '../object/life/availability.ts';
import type { Draft, ManagedObject } from '../object/managed-object.ts';
import { chosenIn, type Place, placeFor } from '../object/place.ts';
import { requireUnprotected } from '../object/protection.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { withDefaults } from '../policy/defaults.ts';

const { ObjectType } = ENUM;

/** The key or secret to split, with the facts for the key blocks of its parts. */
interface Secret {
  readonly material: Uint8Array;
  readonly format: KeyFormatType;
  readonly algorithm: CryptographicAlgorithm | undefined;
  /** In bits. */
  readonly length: number;
}

export const createSplitKey = {
  name: 'CreateSplitKey',
  members: payloadMembers([
    ...OBJECT,
    'ObjectType',
    'SplitKeyParts',
    'SplitKeyThreshold',
    'SplitKeyMethod',
    'PrimeFieldSize',
    'Attributes',
    'ProtectionStorageMasks',
  ]),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.CreateSplitKey }],
  absentReason: 'ItemNotFound',
  event: 'key.split',
  run,
} satisfies Operation;

async function run(given: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  await requireCreation(ctx);
  const request = withDefaults(given, (await ctx.policy()).defaults, { type: ObjectType.SplitKey, tags: [TAG.Attributes] });
  requireStorage(request, TAG.ProtectionStorageMasks);
  const type = required(codeOf(request, TAG.ObjectType), TAG.ObjectType);
  const parameters = splitParametersOf(request);
  requireCounts(parameters.parts, parameters.threshold);
  const attributes = newAttributes(request, ObjectType.SplitKey, TAG.Attributes);
  const source = child(request, TAG.UniqueIdentifier) ? await ctx.use(request, 'CreateSplitKey') : undefined;
  if (source) requireUnprotected(source, ctx.caller);
  else requireNoExpectation(request);
  const places = placesOf(parameters.parts, chosenIn(attributes.nodes()), ctx);
  const secret = source ? await existing(source, type, ctx) : fresh(type, attributes, ctx);
  madeFormat(attributes, 'a part of this key', secret.format);
  const { parts, primeField } = split(parameters.method, secret.material, parameters.parts, parameters.threshold, parameters.primeField);
  const contents = parts.map((part) => splitKeyContent({ ...parameters, primeField }, part, secret));
  const drafts = draftsOf(contents, places, attributes, source, ctx);
  await ctx.change(async (tx) => {
    if (source) {
      const still = await tx.describeById(source.id, 'CreateSplitKey');
      requireAvailable(still, ctx.now);
      requireUnprotected(still, ctx.caller);
    }
    const parts = drafts.map(({ id }) => id);
    for (const draft of drafts) await tx.insert(draft, parts);
    await tx.audit(createSplitKey.event, source?.id ?? (drafts[0] as Draft).id);
  });
  return drafts.map(({ id }) => text(TAG.UniqueIdentifier, id));
}

/** Each part has its own identifier. */
function placesOf(parts: number, chosen: string | undefined, ctx: OperationContext): Place[] {
  const type = ObjectType.SplitKey;
  return Array.from({ length: parts }, (_, i) => placeFor(ctx, { type, chosen: chosen === undefined ? undefined : `${chosen}_${i + 1}` }));
}

/** @param type of the key; SplitKey accepts any */
async function existing(source: ManagedObject, type: number, ctx: OperationContext): Promise<Secret> {
  requireAvailable(source, ctx.now);
  if (type !== ObjectType.SplitKey && type !== source.type)
    throw new Refusal('InvalidObjectType', `${source.id} is a ${nameOf('ObjectType', source.type)}, not a ${nameOf('ObjectType', type)}`);
  const { length, format } = keyBlockOf(source.content as Structure);
  const algorithm = algorithmOf(source);
  const stated = length ?? givenLength(source.attributes);
  const key = keyOf(source, ctx);
  if (key.kind === 'private') {
    const privateKey = await key.material();
    const material = exportKey(privateKey, 'PKCS_8');
    if (!(material instanceof Uint8Array)) throw new Refusal('KeyFormatTypeNotSupported', 'the private key cannot be exported as bytes');
    return { material, format: 'PKCS_8', algorithm, length: stated ?? keyFacts(privateKey).length };
  }
  if (key.kind !== 'secret') throw new Refusal('InvalidObjectType', `a symmetric key is needed, but ${source.id} is another kind of object`);
  const material = new Uint8Array((await key.material()).export());
  if (source.type === ObjectType.SecretData) return { material, format, algorithm, length: material.length * 8 };
  return { material, format: 'Raw', algorithm, length: stated ?? material.length * 8 };
}

/** A new symmetric key, or secret data. A new private key is not possible: without its public key it would be useless. */
function fresh(type: number, attributes: AttributeSet, { server }: OperationContext): Secret {
  if (type === ObjectType.SecretData) {
    const length = secretDataLength(givenLength(attributes));
    return { material: new Uint8Array(randomBytes(length / 8)), format: 'Opaque', algorithm: undefined, length };
  }
  if (type !== ObjectType.SymmetricKey && type !== ObjectType.SplitKey)
    throw new Refusal('InvalidObjectType', `a new ${nameOf('ObjectType', type)} cannot be made in parts; use a symmetric key or secret data`);
  const algorithm = givenAlgorithm(attributes);
  if (algorithm === undefined) throw new Refusal('InvalidField', 'the cryptographic algorithm must be specified');
  requireAllowed(algorithm, server.args.algorithms);
  const length = checkedLength(algorithm, givenLength(attributes));
  return { material: generateKey(algorithm, length), format: 'Raw', algorithm, length };
}

/** The parts take these attributes from the key, whatever the request says: a key that may not leave the server must not leave it in parts. */
const OF_SOURCE = [TAG.CryptographicUsageMask, TAG.Sensitive, TAG.Extractable] as const;

/** Links each part with its neighbours, and with the key that was split. */
function draftsOf(
  contents: readonly Structure[],
  places: readonly Place[],
  attributes: AttributeSet,
  source: ManagedObject | undefined,
  ctx: OperationContext,
): Draft[] {
  // The key blocks already hold these facts.
  for (const tag of [TAG.CryptographicAlgorithm, TAG.CryptographicLength]) attributes.remove(tag);
  for (const tag of OF_SOURCE) {
    const own = source?.attributes.first(tag);
    if (own) attributes.set(own);
  }
  const drafts = contents.map((content, i) => {
    return newObject(ctx, { place: places[i] as Place, type: ObjectType.SplitKey, content, attributes: attributes.copy() });
  });
  for (const [i, draft] of drafts.entries()) {
    const [previous, next] = [drafts[i - 1], drafts[i + 1]];
    if (previous) setLink(draft, 'PreviousLink', previous.id);
    if (next) setLink(draft, 'NextLink', next.id);
    if (source) setLink(draft, 'ParentLink', source.id);
  }
  return drafts;
}
