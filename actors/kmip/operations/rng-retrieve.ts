// RNGRetrieve (KMIP specification 2.1 section 6.1.49).
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { bytes, type Node, type Structure } from '../../../kmip/ttlv/node.ts';
import { integerOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

const MAX_BYTES = 65_536;

export const rngRetrieve = {
  name: 'RNGRetrieve',
  members: payloadMembers(['DataLength']),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const length = required(integerOf(request, TAG.DataLength), TAG.DataLength);
  if (length < 1 || length > MAX_BYTES) throw new Refusal('InvalidField', `the data length must be 1 to ${MAX_BYTES} bytes`);
  return [bytes(TAG.Data, ctx.server.random.bytes(length))];
}
