// Hash (KMIP specification 2.1 section 6.1.24), whole or in parts.
import { hash as hashOf } from '../../../crypto/hash.ts';
import { PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { bytes, type Node, type Structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { parametersOf } from '../object/cryptographic-parameters.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { partOf } from '../use/part.ts';
import { correlation, sendPart } from '../use/parts.ts';

export const hash = {
  name: 'Hash',
  members: payloadMembers(['CryptographicParameters', 'Data', ...PARTS]),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const part = partOf(request);
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && part.is !== 'first' && part.is !== 'last') throw noData('hash');
  const parameters = () => parametersOf(required(structureOf(request, TAG.CryptographicParameters), TAG.CryptographicParameters));
  if (part.is !== 'whole') {
    const begin = () => ({ algorithm: undefined, parameters: parameters(), key: new Uint8Array() });
    const output = await sendPart(ctx, part, { kind: 'Hash', object: '', data, begin });
    return [...(part.is === 'last' ? [bytes(TAG.Data, output.data)] : []), ...correlation(part, output)];
  }
  return [bytes(TAG.Data, hashOf(required(parameters().hashingAlgorithm, TAG.HashingAlgorithm), data as Uint8Array))];
}
