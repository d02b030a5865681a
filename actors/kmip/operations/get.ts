// Get and Export: the object itself, in a key format and wrapped as asked for (KMIP 2.1 sections 6.1.21 and 6.1.23).

import { viewAttributes } from '../object/attribute-view.ts';
import { askedFormat, inFormat } from '../object/format.ts';
import { settle, stateAt } from '../object/lifecycle.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { wrapContent } from '../object/wrapping.ts';
import { Refusal } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { boolean, enumeration, type Node, type Structure, structure, TYPE, text } from '../ttlv/node.ts';
import { codeOf, structureOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';
import type { Operation, OperationContext } from './operation.ts';

const { ObjectType, State } = ENUM;

export const get: Operation = async (request, ctx) => {
  const object = await ctx.use(request, 'Get');
  refuseByState(object, ctx.now);
  // What is deactivated is of the past: it may be exported, and it may decrypt.
  if (stateAt(object, ctx.now) === State.Deactivated && isKey(object)) throw new Refusal('WrongKeyLifecycleState', 'DENIED: the object is Deactivated');
  const content = await givenOut(request, object, ctx);
  return [enumeration(TAG.ObjectType, object.type), text(TAG.UniqueIdentifier, object.id), content];
};

export const exportObject: Operation = async (request, ctx) => {
  const object = await ctx.use(request, 'Export');
  refuseByState(object, ctx.now);
  const content = await givenOut(request, object, ctx);
  await ctx.change((tx) => tx.audit('key.export', object.id));
  const attributes: readonly Node[] = viewAttributes(object, ctx);
  return [enumeration(TAG.ObjectType, object.type), text(TAG.UniqueIdentifier, object.id), structure(TAG.Attributes, attributes), content];
};

function refuseByState(object: ManagedObject, now: number): void {
  const state = stateAt(object, now);
  if (state === State.Destroyed || state === State.DestroyedCompromised) throw new Refusal('ObjectDestroyed', 'DENIED: the object is destroyed');
  if (object.archived) throw new Refusal('ObjectArchived', 'DENIED: the object is archived; recover it first');
}

/** Kinds whose content is secret, or stands for a secret. */
const isKey = ({ type }: ManagedObject): boolean => type !== ObjectType.Certificate && type !== ObjectType.OpaqueObject && type !== ObjectType.PublicKey;
const flagOf = ({ attributes }: ManagedObject, tag: number, otherwise: boolean): boolean => {
  const node = attributes.first(tag);
  return node?.type === TYPE.Boolean ? node.value : otherwise;
};

/** @throws Refusal Sensitive, NotExtractable, KeyFormatTypeNotSupported, KeyCompressionTypeNotSupported and those of wrapping */
async function givenOut(request: Structure, object: ManagedObject, ctx: OperationContext): Promise<Structure> {
  const specification = structureOf(request, TAG.KeyWrappingSpecification);
  const compression = codeOf(request, TAG.KeyCompressionType);
  if (compression !== undefined && object.type !== ObjectType.PublicKey)
    throw new Refusal('KeyCompressionTypeNotSupported', 'only points of elliptic curve public keys have a compression, and they are given out in the formats');
  if (flagOf(object, TAG.Sensitive, false) && !specification && isKey(object))
    throw new Refusal('Sensitive', 'DENIED: the object is sensitive, it is given out wrapped only');
  if (!flagOf(object, TAG.Extractable, true) && isKey(object)) throw new Refusal('NotExtractable', 'DENIED: the object is not extractable');
  const content = inFormat(object, askedFormat(request));
  if (specification) return wrapContent(content, specification, ctx);
  if (flagOf(object, TAG.Fresh, false)) await notFreshAnyMore(object.id, ctx);
  return content;
}

/** The first time that material leaves in clear. */
async function notFreshAnyMore(id: string, ctx: OperationContext): Promise<void> {
  await ctx.change(async (tx) => {
    const draft = await tx.read(id);
    if (!draft) return;
    settle(draft, ctx.now);
    draft.attributes.set(boolean(TAG.Fresh, false));
    await tx.update(draft);
  });
}
