// Recover: makes an archived object usable again (KMIP 2.1 section 6.1.42).
import { OBJECT, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { setArchived } from '../object/life/archiving.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const recover = {
  name: 'Recover',
  members: payloadMembers(OBJECT),
  leaves: [{ tag: TAG.UniqueIdentifier }],
  event: 'key.recover',
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  return [text(TAG.UniqueIdentifier, await setArchived(request, ctx, 'Recover', recover.event))];
}
