// MAC and MACVerify (KMIP specification 2.1 sections 6.1.32 and 6.1.33), whole or in parts.
import { macVerify as isMacOf, type MacAlgorithm, macAlgorithm, mac as macOf } from '../../../crypto/signature/mac.ts';
import { bytes, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { effectiveAlgorithm, effectiveParameters } from '../object/cryptographic-parameters.ts';
import { algorithmOf, secretBytes, secretKey } from '../object/key-material.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { opened } from '../object/opened.ts';
import { requireUse, USE, type Use } from '../object/usage.ts';
import { spendUsage } from '../object/usage-limits.ts';
import { noData } from './cipher-rules.ts';
import type { Operation, OperationContext } from './operation.ts';
import { type Part, partOf } from './part.ts';
import { correlation, type PartInput, sendPart } from './parts.ts';
import { validity, verifiedBy } from './validity.ts';

export const mac: Operation = async (request, ctx) => {
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
};

export const macVerify: Operation = async (request, ctx) => {
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
};

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

function algorithmFor(request: Structure, object: ManagedObject): MacAlgorithm {
  return macAlgorithm(algorithmOf(object), effectiveParameters(request, object, 'mac'));
}

function partInput(request: Structure, object: ManagedObject, use: Use & { operation: 'MAC' | 'MACVerify' }, data: Uint8Array | undefined): PartInput {
  const begin = () => {
    const parameters = effectiveParameters(request, object, 'mac');
    return { algorithm: effectiveAlgorithm(parameters, object), parameters, key: secretBytes(object) };
  };
  return { kind: use.operation, object: object.id, data, begin };
}
