// MAC (KMIP specification 2.1 section 6.1.32), whole or in parts.
import { mac as macOf } from '../../../crypto/signature/mac.ts';
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { secretKey } from '../object/key-material.ts';
import { opened } from '../object/opened.ts';
import { requireUse, USE } from '../object/usage.ts';
import { spendUsage } from '../object/usage-limits.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { algorithmFor, partInput } from '../use/mac.ts';
import { partOf } from '../use/part.ts';
import { correlation, sendPart } from '../use/parts.ts';

export const mac = {
  name: 'MAC',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', ...PARTS]),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const found = await ctx.use(request, 'MAC');
  requireUse(found, USE.MAC, ctx.now);
  const object = await opened(found, ctx);
  const part = partOf(request);
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && part.is !== 'first' && part.is !== 'last') throw noData('authenticate');
  if (object.attributes.has(TAG.UsageLimits)) await spendUsage(ctx, object, USE.MAC, data?.length ?? 0);
  if (part.is !== 'whole') {
    const output = await sendPart(ctx, part, partInput(request, object, USE.MAC, data));
    const made = part.is === 'last' ? [bytes(TAG.MACData, output.data)] : [];
    return [text(TAG.UniqueIdentifier, object.id), ...made, ...correlation(part, output)];
  }
  return [text(TAG.UniqueIdentifier, object.id), bytes(TAG.MACData, macOf(algorithmFor(request, object), secretKey(object), data as Uint8Array))];
}
