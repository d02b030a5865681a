// Get: returns an object in the requested key format and wrapping (KMIP 2.1 section 6.1.19).
import { andThen } from '../../../kernel/at-once.ts';
import { GIVEN_OUT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { fileGivenOut, givenOut, refuseByState } from '../object/forms/given-out.ts';
import { isPkcs12Asked, keyOfFile } from '../object/forms/pkcs12-export.ts';
import { stateAt } from '../object/life/lifecycle.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

const { ObjectType, State } = ENUM;

export const get = {
  name: 'Get',
  members: payloadMembers([...GIVEN_OUT]),
  run,
} satisfies Operation;

function run(request: Structure, ctx: OperationContext): readonly Node[] | Promise<readonly Node[]> {
  return andThen(ctx.use(request, 'Get'), (named) => andThen(keyOfFile(named, request, 'Get', ctx), (object) => answer(object, named, request, ctx)));
}

function answer(object: ManagedObject, named: ManagedObject, request: Structure, ctx: OperationContext): readonly Node[] | Promise<readonly Node[]> {
  refuseByState(object, ctx.now);
  // A deactivated key serves only to process old data: Export returns it, and it may decrypt.
  if (stateAt(object, ctx.now) === State.Deactivated && isKey(object)) throw new Refusal('WrongKeyLifecycleState', 'DENIED: the object is Deactivated');
  const content = isPkcs12Asked(request) ? fileGivenOut(request, object, named, 'Get', ctx) : givenOut(request, object, ctx);
  return andThen(content, (given) => [enumeration(TAG.ObjectType, object.type), text(TAG.UniqueIdentifier, object.id), given]);
}

/** Object types whose content is secret, or represents a secret. */
const isKey = ({ type }: ManagedObject): boolean => type !== ObjectType.Certificate && type !== ObjectType.OpaqueObject && type !== ObjectType.PublicKey;
