// RNGSeed (KMIP specification 2.1 section 6.1.50).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { integer, type Node, type Structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

export const rngSeed = {
  name: 'RNGSeed',
  members: payloadMembers(['Data']),
  run,
} satisfies Operation;

/** Seeds the generator of this thread with all of the data. */
async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  return [integer(TAG.DataLength, ctx.server.random.seed(required(bytesOf(request, TAG.Data), TAG.Data)))];
}
