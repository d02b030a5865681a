// DeriveKey: derives a new symmetric key or secret from other objects (KMIP specification 2.1 sections 6.1.14 and 7.12).
import { derivedLength } from '../../../crypto/key/symmetric-key.ts';
import type { CryptographicAlgorithm } from '../../../crypto/parameters.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlock, symmetricKey } from '../../../kmip/key-block.ts';
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { codeOf, integerOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { secretFormat, symmetricFormat } from '../creation/made-format.ts';
import { hasRoom } from '../object/attributes/attribute-change.ts';
import { givenAlgorithm, newAttributes, requireAllowed } from '../object/attributes/new-attributes.ts';
import { requireQuantumSafe } from '../object/attributes/quantum-safe.ts';
import { link, newObject, requireCreation } from '../object/create.ts';
import { oneOf } from '../object/finding/expected-type.ts';
import { markChanged } from '../object/life/lifecycle.ts';
import { requireUse, USE } from '../object/life/usage.ts';
import { takeUse } from '../object/life/usage-limits.ts';
import type { Draft } from '../object/managed-object.ts';
import { chosenIn, placeFor } from '../object/place.ts';
import type { Operation } from '../operation.ts';
import type { ObjectTransaction, OperationContext } from '../operation-context.ts';
import { withDefaults } from '../policy/defaults.ts';
import { derivedBytes } from '../use/derivation.ts';
import { type KeyUse, useKey } from '../use/use-key.ts';

const { ObjectType } = ENUM;

export const deriveKey = {
  name: 'DeriveKey',
  members: payloadMembers(
    ['ExpectedObjectType', 'ObjectType', 'DerivationMethod', 'DerivationParameters', 'Attributes'],
    ['UniqueIdentifier', 'ObjectUniqueIdentifier'],
  ),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.DeriveKey }],
  event: 'key.derive',
  run,
} satisfies Operation;

/** @throws Refusal: those of `requireUse`, `derive` and `newObject` */
async function run(asked: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const type = required(codeOf(asked, TAG.ObjectType), TAG.ObjectType);
  if (type !== ObjectType.SymmetricKey && type !== ObjectType.SecretData)
    throw new Refusal('InvalidField', 'only symmetric keys and secret data can be derived');
  const request = withDefaults(asked, (await ctx.policy()).defaults, { type, tags: [TAG.Attributes] });
  const attributes = required(structureOf(request, TAG.Attributes), TAG.Attributes);
  const bits = integerOf(attributes, TAG.CryptographicLength);
  if (bits === undefined) throw new Refusal('InvalidMessage', 'the length to derive is missing: CryptographicLength');
  if (bits < 8 || bits % 8 !== 0) throw new Refusal('InvalidField', 'the cryptographic length must be a positive multiple of 8');
  const given = newAttributes(request, type, TAG.Attributes);
  const algorithm = type === ObjectType.SymmetricKey ? derivedAlgorithm(given, bits, ctx) : undefined;
  const length = algorithm === undefined ? bits / 8 : derivedLength(algorithm, bits);
  const contentFrom = algorithm === undefined ? secretFrom(attributes, given) : keyFrom(algorithm, bits, given);
  await requireCreation(ctx);
  const place = placeFor(ctx, { type, chosen: chosenIn(given.nodes()) });
  const bases = await basesOf(request, ctx);
  const content = contentFrom(await derivedBytes(request, bases, length, ctx.version));
  const ids = bases.map(({ object }) => object.id);
  const made = await ctx.change(async (tx) => {
    const draft = newObject(ctx, { place, type, content, attributes: given.copy() });
    for (const id of ids) draft.attributes.add(link('DerivationBaseObjectLink', id));
    await tx.insert(draft);
    for (const id of ids) await linkBase(ctx, tx, id, draft, length);
    await tx.audit(deriveKey.event, draft.id);
    return draft.id;
  });
  return [text(TAG.UniqueIdentifier, made)];
}

/** All base objects of the request, under the standard tag or the one that some clients use instead. */
async function basesOf(request: Structure, ctx: OperationContext): Promise<KeyUse[]> {
  const bases: KeyUse[] = [];
  for (const node of request.value) {
    if (node.tag !== TAG.UniqueIdentifier && node.tag !== TAG.ObjectUniqueIdentifier) continue;
    const base = await useKey(ctx, oneOf(request, node), USE.DeriveKey, node.tag);
    if (!bases.some(({ object }) => object.id === base.object.id)) bases.push(base);
  }
  if (bases.length === 0) throw new Refusal('InvalidMessage', 'missing field: UniqueIdentifier of the object to derive from');
  return bases;
}

/** @throws Refusal if none is given, if the configuration of the server excludes it, and that of `requireQuantumSafe` */
function derivedAlgorithm(given: AttributeSet, bits: number, { server }: OperationContext): CryptographicAlgorithm {
  const algorithm = givenAlgorithm(given);
  if (algorithm === undefined) throw new Refusal('InvalidMessage', 'the cryptographic algorithm must be specified for a derived key');
  requireAllowed(algorithm, server.args.algorithms);
  requireQuantumSafe(given, algorithm, bits);
  return algorithm;
}

/** Raw also for clients that ask for TransparentSymmetricKey: they read bytes. @throws Refusal KeyFormatTypeNotSupported before anything is derived */
function keyFrom(algorithm: CryptographicAlgorithm, bits: number, given: AttributeSet): (material: Uint8Array) => Structure {
  symmetricFormat(given);
  return (material) => symmetricKey(material, algorithm, bits);
}

/** As `keyFrom`. */
function secretFrom(attributes: Structure, given: AttributeSet): (material: Uint8Array) => Structure {
  const format = secretFormat(given, 'Raw');
  const kind = codeOf(attributes, TAG.SecretDataType) ?? ENUM.SecretDataType.Seed;
  return (material) => structure(TAG.SecretData, [enumeration(TAG.SecretDataType, kind), keyBlock({ format, material, length: material.length * 8 })]);
}

async function linkBase(ctx: OperationContext, tx: ObjectTransaction, id: string, derived: Draft, bytes: number): Promise<void> {
  const base = await tx.byId(id, 'DeriveKey');
  requireUse(base, USE.DeriveKey, ctx.now);
  const isLimited = takeUse(base, bytes, 'UsageLimitExceeded');
  // With a grant alone, the caller must not change the owner's key; and the number of links is limited.
  const isLinked = base.owner === derived.owner && hasRoom(base.attributes, TAG.Link);
  if (isLinked) base.attributes.add(link('DerivedKeyLink', derived.id));
  if (!isLinked && !isLimited) return;
  markChanged(base, ctx.now);
  await tx.update(base);
}
