// MACVerify (KMIP specification 2.1 section 6.1.33), whole or in parts.
import { macVerify as isMacOf } from '../../../crypto/signature/mac.ts';
import { OBJECT, PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { secretKey } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { opened } from '../object/opened.ts';
import { requireUse, USE } from '../object/usage.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { algorithmFor, partInput } from '../use/mac.ts';
import { type Part, partOf } from '../use/part.ts';
import { correlation, sendPart } from '../use/parts.ts';
import { validity, verifiedBy } from '../use/validity.ts';

export const macVerify = {
  name: 'MACVerify',
  members: payloadMembers([...OBJECT, 'CryptographicParameters', 'Data', 'MACData', ...PARTS]),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const part = partOf(request);
  const candidates = await Promise.all((await ctx.candidates(request, 'MACVerify')).map((object) => opened(object, ctx)));
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && part.is !== 'first' && part.is !== 'last') throw noData('verify');
  if (part.is !== 'whole') return verifyPart(request, ctx, candidates[0] as ManagedObject, part, data);
  const expected = required(bytesOf(request, TAG.MACData), TAG.MACData);
  return verifiedBy(candidates, (object) => {
    requireUse(object, USE.MACVerify, ctx.now);
    return isMacOf(algorithmFor(request, object), secretKey(object), data as Uint8Array, expected);
  });
}

async function verifyPart(
  request: Structure,
  ctx: OperationContext,
  object: ManagedObject,
  part: Part,
  data: Uint8Array | undefined,
): Promise<readonly Node[]> {
  requireUse(object, USE.MACVerify, ctx.now);
  const proof = bytesOf(request, TAG.MACData);
  const output = await sendPart(ctx, part, { ...partInput(request, object, USE.MACVerify, data), proof });
  const judged = part.is === 'last' ? [validity(output.valid === true)] : [];
  return [text(TAG.UniqueIdentifier, object.id), ...judged, ...correlation(part, output)];
}
