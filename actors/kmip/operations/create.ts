// Create: generates a new symmetric key or new secret data (KMIP 2.1 section 6.1.8).
import { randomBytes } from 'node:crypto';
import { checkedLength, generateKey } from '../../../crypto/key/symmetric-key.ts';
import type { AttributeSet } from '../../../kmip/attribute/set.ts';
import { keyBlock, symmetricKey } from '../../../kmip/key-block.ts';
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import type { ObjectType as ObjectTypeCode } from '../../../kmip/object-type.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, integer, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { codeOf, nameOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { secretFormat, symmetricFormat } from '../creation/made-format.ts';
import { requireStorage } from '../creation/protection-storage.ts';
import {
  attributesIn,
  givenAlgorithm,
  givenLength,
  newAttributes,
  requireAllowed,
  requireMask,
  secretDataLength,
} from '../object/attributes/new-attributes.ts';
import { requireQuantumSafe } from '../object/attributes/quantum-safe.ts';
import { newObject, requireCreation } from '../object/create.ts';
import { keeping } from '../object/kept-keys.ts';
import type { KeyKeeper } from '../object/key-keeper.ts';
import { chosenIn, placeFor } from '../object/place.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { withDefaults } from '../policy/defaults.ts';

const { ObjectType } = ENUM;

export const create = {
  name: 'Create',
  members: payloadMembers(['ObjectType', 'Attributes', 'ProtectionStorageMasks']),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.Create }],
  event: 'key.create',
  run,
} satisfies Operation;

async function run(given: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  await requireCreation(ctx);
  const type = required(codeOf(given, TAG.ObjectType), TAG.ObjectType);
  if (type !== ObjectType.SymmetricKey && type !== ObjectType.SecretData)
    throw new Refusal('InvalidField', `Create makes only symmetric keys and secret data; ${nameOf('ObjectType', type)} is not supported`);
  const request = withDefaults(given, (await ctx.policy()).defaults, { type, tags: [TAG.Attributes] });
  requireStorage(request, TAG.ProtectionStorageMasks);
  const attributes = newAttributes(request, type, TAG.Attributes);
  requireMask(ctx.version, type, attributesIn(request, TAG.Attributes), 'Create');
  const place = placeFor(ctx, { type, chosen: chosenIn(attributes.nodes()) });
  const { keeper } = place.source;
  const content = await (keeper
    ? kept(keeper, place.id, type, attributes, ctx)
    : type === ObjectType.SymmetricKey
      ? newKey(attributes, ctx)
      : newSecret(attributes));
  await keeping(keeper, [place.id], () => {
    const draft = newObject(ctx, { place, type, content, attributes });
    return ctx.create((tx) => tx.create(create.event, draft));
  });
  return [enumeration(TAG.ObjectType, type), text(TAG.UniqueIdentifier, place.id)];
}

function kept(keeper: KeyKeeper, id: string, type: ObjectTypeCode, attributes: AttributeSet, ctx: OperationContext): Promise<Structure> {
  const algorithm = givenAlgorithm(attributes);
  if (algorithm !== undefined) requireAllowed(algorithm, ctx.server.args.algorithms);
  return keeper.makeSecret(ctx, id, type, attributes);
}

function newKey(attributes: AttributeSet, { server }: OperationContext): Structure {
  const algorithm = givenAlgorithm(attributes);
  if (algorithm === undefined) throw new Refusal('InvalidField', 'the cryptographic algorithm must be specified');
  requireAllowed(algorithm, server.args.algorithms);
  const length = checkedLength(algorithm, givenLength(attributes));
  attributes.set(integer(TAG.CryptographicLength, length));
  requireQuantumSafe(attributes, algorithm, length);
  const format = symmetricFormat(attributes);
  return symmetricKey(generateKey(algorithm, length), algorithm, length, format);
}

/** Random bytes: 256 bits unless a length is given. */
function newSecret(attributes: AttributeSet): Structure {
  const bits = secretDataLength(givenLength(attributes));
  attributes.set(integer(TAG.CryptographicLength, bits));
  return structure(TAG.SecretData, [
    enumeration(TAG.SecretDataType, ENUM.SecretDataType.Seed),
    keyBlock({ format: secretFormat(attributes, 'Opaque'), material: new Uint8Array(randomBytes(bits / 8)), length: bits }),
  ]);
}
