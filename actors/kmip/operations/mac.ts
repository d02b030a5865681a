// MAC (KMIP specification 2.1 section 6.1.32), whole or in parts.
import { andThen } from '../../../kernel/at-once.ts';
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveParameters } from '../object/cryptographic-parameters.ts';
import { USE } from '../object/life/usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { macPart } from '../use/mac.ts';
import { type PartOfMany, partOf } from '../use/part.ts';
import { correlation } from '../use/parts.ts';
import { type KeyUse, useKey } from '../use/use-key.ts';

export const mac = {
  name: 'MAC',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', ...PARTS]),
  run,
} satisfies Operation;

function run(request: Structure, ctx: OperationContext): readonly Node[] | Promise<readonly Node[]> {
  return andThen(useKey(ctx, request, USE.MAC), (use) => authenticateWith(use, request));
}

function authenticateWith(use: KeyUse, request: Structure): readonly Node[] | Promise<readonly Node[]> {
  const { object, key } = use;
  const part = partOf(request);
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && part.is !== 'first' && part.is !== 'last') throw noData('authenticate');
  return andThen(use.spend(data?.length ?? 0, part.is), () => {
    if (part.is !== 'whole') return authenticatePart(use, request, part, data);
    const made = key.mac({ parameters: effectiveParameters(request, object, 'mac'), data: data as Uint8Array });
    return andThen(made, (value) => [text(TAG.UniqueIdentifier, object.id), bytes(TAG.MACData, value)]);
  });
}

async function authenticatePart(use: KeyUse, request: Structure, part: PartOfMany, data: Uint8Array | undefined): Promise<readonly Node[]> {
  const output = await macPart(request, use, part, { kind: 'MAC', data });
  const made = part.is === 'last' ? [bytes(TAG.MACData, output.data)] : [];
  return [text(TAG.UniqueIdentifier, use.object.id), ...made, ...correlation(part, output)];
}
