// MACVerify (KMIP specification 2.1 section 6.1.33), whole or in parts.
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveParameters } from '../object/cryptographic-parameters.ts';
import { USE } from '../object/life/usage.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { macPart } from '../use/mac.ts';
import { type PartOfMany, partOf } from '../use/part.ts';
import { correlation } from '../use/parts.ts';
import { type KeyUse, useKey } from '../use/use-key.ts';
import { validity, verifyWithAny } from '../use/validity.ts';

export const macVerify = {
  name: 'MACVerify',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', 'MACData', ...PARTS]),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const part = partOf(request);
  const candidates = await ctx.candidates(request, 'MACVerify');
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && part.is !== 'first' && part.is !== 'last') throw noData('verify');
  if (part.is !== 'whole') return verifyPart(request, await useKey(ctx, candidates[0] as ManagedObject, USE.MACVerify), part, data);
  const expected = required(bytesOf(request, TAG.MACData), TAG.MACData);
  return verifyWithAny(candidates, async (found) => {
    const { object, key } = await useKey(ctx, found, USE.MACVerify);
    return key.verifyMac({ parameters: effectiveParameters(request, object, 'mac'), data: data as Uint8Array }, expected);
  });
}

async function verifyPart(request: Structure, use: KeyUse, part: PartOfMany, data: Uint8Array | undefined): Promise<readonly Node[]> {
  const output = await macPart(request, use, part, { kind: 'MACVerify', data, proof: bytesOf(request, TAG.MACData) });
  const judged = part.is === 'last' ? [validity(output.valid === true)] : [];
  return [text(TAG.UniqueIdentifier, use.object.id), ...judged, ...correlation(part, output)];
}
