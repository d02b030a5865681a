// Archive: keeps an object, which cannot be used or fetched until it is recovered (KMIP 2.1 section 6.1.4).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { setArchived } from '../object/life/archiving.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const archive = {
  name: 'Archive',
  members: payloadMembers(OBJECT),
  event: 'key.archive',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  return [text(TAG.UniqueIdentifier, await setArchived(request, ctx, 'Archive', archive.event))];
}
