// Export: returns an object with all its attributes, in the requested key format and wrapping (KMIP 2.1 section 6.1.18).
import { GIVEN_OUT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { enumeration, type Node, type Structure, structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { viewAttributes, viewValues } from '../object/attribute-view.ts';
import { toIndexedNodes } from '../object/attributes/attribute-transaction.ts';
import { fileGivenOut, givenOut, refuseByState } from '../object/forms/given-out.ts';
import { isPkcs12Asked, keyOfFile } from '../object/forms/pkcs12-export.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const exportObject = {
  name: 'Export',
  members: payloadMembers([...GIVEN_OUT]),
  leaves: [{ tag: TAG.UniqueIdentifier }],
  event: 'key.export',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const named = await ctx.use(request, 'Export');
  const object = await keyOfFile(named, request, 'Export', ctx);
  refuseByState(object, ctx.now);
  const content = isPkcs12Asked(request) ? await fileGivenOut(request, object, named, 'Export', ctx) : await givenOut(request, object, ctx);
  await ctx.change((tx) => tx.audit(exportObject.event, object.id));
  // Only KMIP 1.x has an index.
  const attributes: readonly Node[] = ctx.version.major === 1 ? viewValues(object, ctx).flatMap(toIndexedNodes) : viewAttributes(object, ctx);
  return [enumeration(TAG.ObjectType, object.type), text(TAG.UniqueIdentifier, object.id), structure(TAG.Attributes, attributes), content];
}
