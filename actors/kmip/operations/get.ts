// Get and Export: the object itself, in a key format and wrapped as asked for (KMIP 2.1 sections 6.1.19 and 6.1.18).
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { viewAttributes } from '../object/attribute-view.ts';
import { fileGivenOut, givenOut } from '../object/given-out.ts';
import { stateAt } from '../object/lifecycle.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { isPkcs12Asked, keyOfFile } from '../object/pkcs12-export.ts';
import type { Operation } from './operation.ts';

const { ObjectType, State } = ENUM;

export const get: Operation = async (request, ctx) => {
  const named = await ctx.use(request, 'Get');
  const object = await keyOfFile(named, request, 'Get', ctx);
  refuseByState(object, ctx.now);
  // What is deactivated is of the past: it may be exported, and it may decrypt.
  if (stateAt(object, ctx.now) === State.Deactivated && isKey(object)) throw new Refusal('WrongKeyLifecycleState', 'DENIED: the object is Deactivated');
  const content = isPkcs12Asked(request) ? await fileGivenOut(request, object, named, 'Get', ctx) : await givenOut(request, object, ctx);
  return [enumeration(TAG.ObjectType, object.type), text(TAG.UniqueIdentifier, object.id), content];
};

export const exportObject: Operation = async (request, ctx) => {
  const named = await ctx.use(request, 'Export');
  const object = await keyOfFile(named, request, 'Export', ctx);
  refuseByState(object, ctx.now);
  const content = isPkcs12Asked(request) ? await fileGivenOut(request, object, named, 'Export', ctx) : await givenOut(request, object, ctx);
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
