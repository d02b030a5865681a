// MAC (KMIP specification 2.1 section 6.1.32), whole or in parts.
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveParameters } from '../object/cryptographic-parameters.ts';
import { USE } from '../object/usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { macPart } from '../use/mac.ts';
import { partOf } from '../use/part.ts';
import { correlation } from '../use/parts.ts';
import { useKey } from '../use/use-key.ts';

export const mac = {
  name: 'MAC',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', ...PARTS]),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const use = await useKey(ctx, request, USE.MAC);
  const { object, key } = use;
  const part = partOf(request);
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && part.is !== 'first' && part.is !== 'last') throw noData('authenticate');
  await use.spend(data?.length ?? 0);
  if (part.is !== 'whole') {
    const output = await macPart(request, use, part, { kind: 'MAC', data });
    const made = part.is === 'last' ? [bytes(TAG.MACData, output.data)] : [];
    return [text(TAG.UniqueIdentifier, object.id), ...made, ...correlation(part, output)];
  }
  const made = await key.mac({ parameters: effectiveParameters(request, object, 'mac'), data: data as Uint8Array });
  return [text(TAG.UniqueIdentifier, object.id), bytes(TAG.MACData, made)];
}
