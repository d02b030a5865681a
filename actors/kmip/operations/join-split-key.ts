// JoinSplitKey: joins enough parts of a key or secret (KMIP 2.1 section 6.1.27).
import { materialLength } from '../../../crypto/key/symmetric-key.ts';
import { join, MAX_PARTS } from '../../../crypto/secret-sharing/split.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlock, symmetricKey } from '../../../kmip/key-block.ts';
import { requireKnownCodes } from '../../../kmip/message/known-codes.ts';
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { ObjectType as ObjectTypeCode } from '../../../kmip/object-type.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { boolean, enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { children, codeOf, nameOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { requireStorage } from '../creation/protection-storage.ts';
import { attributesIn, givenAlgorithm, newAttributes } from '../object/attributes/new-attributes.ts';
import { linkedTo, newObject, requireCreation } from '../object/create.ts';
import { oneOf } from '../object/finding/expected-type.ts';
import { type StoredPart, storedPart } from '../object/forms/split-key.ts';
import { requireAvailable } from '../object/life/availability.ts';
import type { ManagedObject, ObjectDescription } from '../object/managed-object.ts';
import { chosenIn, placeFor } from '../object/place.ts';
import { requireUnprotected } from '../object/protection.ts';
import { describeContent } from '../object/registered.ts';
import type { Operation } from '../operation.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';

const { ObjectType, State } = ENUM;
const { Unrestricted } = MASK.CryptographicUsageMask;

export const joinSplitKey = {
  name: 'JoinSplitKey',
  members: payloadMembers(['ExpectedObjectType', 'ObjectType', 'SecretDataType', 'Attributes', 'ProtectionStorageMasks'], ['UniqueIdentifier']),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.JoinSplitKey }],
  event: 'key.join',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  await requireCreation(ctx);
  requireStorage(request, TAG.ProtectionStorageMasks);
  const type = required(codeOf(request, TAG.ObjectType), TAG.ObjectType) as ObjectTypeCode;
  const secretDataType = codeOf(request, TAG.SecretDataType);
  if (secretDataType !== undefined && type !== ObjectType.SecretData) throw new Refusal('InvalidField', 'SecretDataType is for secret data: leave it out');
  const place = placeFor(ctx, { type, chosen: chosenIn(attributesIn(request, TAG.Attributes)) });
  const objects = await partsIn(request, ctx);
  const parts = objects.map(storedPart);
  const first = requireSameSplit(parts);
  const attributes = newAttributes(request, type, TAG.Attributes);
  const secret = joinParts(first, parts);
  const content = contentFor(type, first, secret, secretDataType, givenAlgorithm(attributes));
  requireKnownCodes(content);
  describeContent(type, content, attributes, ctx.server.args.algorithms);
  restrict(attributes, objects, attributesIn(request, TAG.Attributes));
  const draft = newObject(ctx, { place, type, content, attributes, joined: true });
  await ctx.change(async (tx) => {
    for (const { id } of objects) requirePart(await tx.byId(id, 'JoinSplitKey'), ctx);
    await requireOneKey(tx, objects);
    await tx.insert(draft);
    await tx.audit(joinSplitKey.event, draft.id);
  });
  return [text(TAG.UniqueIdentifier, draft.id)];
}

/** Restrictions of any part apply to the joined key as well. @param given the request may state another usage mask */
function restrict(attributes: AttributeSet, parts: readonly ObjectDescription[], given: readonly Node[]): void {
  if (parts.some(({ attributes: own }) => own.first(TAG.Sensitive)?.value === true)) attributes.set(boolean(TAG.Sensitive, true));
  if (parts.some(({ attributes: own }) => own.first(TAG.Extractable)?.value === false)) attributes.set(boolean(TAG.Extractable, false));
  if (given.some(({ tag }) => tag === TAG.CryptographicUsageMask)) return;
  const masks = parts.map(({ attributes: own }) => own.first(TAG.CryptographicUsageMask)?.value).filter((mask) => typeof mask === 'number');
  const restricted = masks.filter((mask) => (mask & Unrestricted) === 0);
  if (restricted.length === 0) return;
  const common = restricted.reduce((all, mask) => all & mask);
  attributes.set(integer(TAG.CryptographicUsageMask, common));
}

async function partsIn(request: Structure, ctx: OperationContext): Promise<ManagedObject[]> {
  const named = children(request, TAG.UniqueIdentifier);
  if (named.length === 0) throw new Refusal('InvalidMessage', 'missing field: UniqueIdentifier of the parts');
  if (named.length > MAX_PARTS) throw new Refusal('InvalidField', `a key can have at most ${MAX_PARTS} parts`);
  const objects: ManagedObject[] = [];
  for (const node of named) {
    const object = await ctx.use(oneOf(request, node), 'JoinSplitKey');
    requirePart(object, ctx);
    objects.push(object);
  }
  return objects;
}

/** @throws Refusal ObjectArchived, ObjectDestroyed, WrongKeyLifecycleState, Sensitive, NotExtractable */
function requirePart(object: ObjectDescription, { caller, now }: OperationContext): void {
  requireUnprotected(object, caller);
  if (requireAvailable(object, now) === State.Compromised) throw new Refusal('WrongKeyLifecycleState', `${object.id} is Compromised`);
}

const notTogether = (): Refusal => new Refusal('InvalidField', 'the parts do not belong together');

/** One of the parts, if all agree on the key and on how it was split. */
function requireSameSplit(parts: readonly StoredPart[]): StoredPart {
  const [first, ...others] = parts as [StoredPart, ...StoredPart[]];
  const key = (part: StoredPart) =>
    [part.method, part.parts, part.threshold, part.primeField, part.block.format, part.block.algorithm, part.block.length].map(String).join();
  if (others.some((other) => key(other) !== key(first))) throw notTogether();
  if (parts.some(({ identifier }) => identifier < 1 || identifier > first.parts)) throw notTogether();
  return first;
}

/**
 * Checks that the parts come from the same key. Parts that were made here are linked to the previous one, so all parts of a key lead to
 * the same first part. With some methods, any numbers yield a key, so nothing else would show that parts of two keys were mixed.
 */
async function requireOneKey(tx: ObjectTransaction, objects: readonly ObjectDescription[]): Promise<void> {
  const firsts = new Map<string, string>();
  for (const object of objects) {
    const path: string[] = [];
    let at: ObjectDescription | undefined = object;
    let known: string | undefined;
    while (at && known === undefined && path.length < MAX_PARTS) {
      path.push(at.id);
      known = firsts.get(at.id);
      const previous = linkedTo(at, 'PreviousLink');
      if (known === undefined && previous === undefined) known = linkedTo(at, 'NextLink') === undefined ? undefined : at.id;
      const owner: string = at.owner;
      const before: ObjectDescription | undefined = previous === undefined ? undefined : await tx.read(previous);
      // Clients can set links to objects of other owners; such a link must not reveal anything about its target.
      at = before?.owner === owner ? before : undefined;
    }
    if (known !== undefined) for (const id of path) firsts.set(id, known);
  }
  if (new Set(firsts.values()).size > 1) throw notTogether();
}

function joinParts({ method, parts: all, threshold, primeField, block }: StoredPart, parts: readonly StoredPart[]): Uint8Array {
  const isBytes = block.format !== 'PKCS_8';
  const length = !isBytes || block.length === undefined ? undefined : block.algorithm ? materialLength(block.algorithm, block.length) : block.length / 8;
  // Parts from elsewhere may say that fewer suffice (2.1 section 13.1): what these give is no key, and nothing would show it.
  const secret = new Uint8Array(join(method, parts, method === 'XOR' ? all : threshold, primeField, length));
  // DER does not begin with a zero byte, but an integer in a larger field is padded with them.
  return isBytes
    ? secret
    : secret.subarray(
        Math.max(
          0,
          secret.findIndex((byte) => byte !== 0),
        ),
      );
}

function contentFor(
  type: ObjectTypeCode,
  { block }: StoredPart,
  material: Uint8Array,
  secretDataType: number | undefined,
  given: StoredPart['block']['algorithm'],
): Structure {
  const { format, algorithm = given, length } = block;
  switch (type) {
    case ObjectType.SymmetricKey:
      if (format !== 'Raw' && format !== 'Opaque') break;
      if (algorithm === undefined) throw new Refusal('InvalidField', 'the cryptographic algorithm must be specified');
      return symmetricKey(material, algorithm, length);
    case ObjectType.SecretData:
      return structure(TAG.SecretData, [
        enumeration(TAG.SecretDataType, secretDataType ?? ENUM.SecretDataType.Seed),
        keyBlock({ format: format === 'Raw' ? 'Raw' : 'Opaque', material, length: material.length * 8 }),
      ]);
    case ObjectType.PrivateKey:
      if (format === 'Opaque') break;
      return structure(TAG.PrivateKey, [keyBlock({ format, material, algorithm, length })]);
    default:
      throw new Refusal(
        'InvalidObjectType',
        `split keys can be joined to a symmetric key, a private key or secret data, not to a ${nameOf('ObjectType', type)}`,
      );
  }
  throw new Refusal('InvalidObjectType', `the parts belong to a key in the format ${format}, not to a ${nameOf('ObjectType', type)}`);
}
