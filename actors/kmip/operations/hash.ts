// Hash (KMIP specification 2.1 section 6.1.24), whole or in parts.
import { hash as hashOf } from '../../../crypto/hash.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { PARTS, payloadMembers } from '../../../kmip/message/payload-members.ts';
import { firstInputs, laterInputs, type PartInputs } from '../../../kmip/part-inputs.ts';
import { bytes, type Node, type Structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, required, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { StreamOutput, StreamOwner } from '../../stream/api.ts';
import { parametersOf } from '../object/cryptographic-parameters.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { noData } from '../use/cipher-rules.ts';
import { type PartOfMany, partOf } from '../use/part.ts';
import { correlation } from '../use/parts.ts';

const NOTHING = new Uint8Array();

export const hash = {
  name: 'Hash',
  members: payloadMembers(['CryptographicParameters', 'Data', ...PARTS]),
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const part = partOf(request);
  const data = bytesOf(request, TAG.Data);
  if (data === undefined && part.is !== 'first' && part.is !== 'last') throw noData('hash');
  const given = structureOf(request, TAG.CryptographicParameters);
  const parameters = given && parametersOf(given);
  if (part.is !== 'whole') {
    const output = await hashPart(ctx, part, data ?? NOTHING, parameters);
    return [...(part.is === 'last' ? [bytes(TAG.Data, output.data)] : []), ...correlation(part, output)];
  }
  return [bytes(TAG.Data, hashOf(required(required(parameters, TAG.CryptographicParameters).hashingAlgorithm, TAG.HashingAlgorithm), data as Uint8Array))];
}

/** Needs no key, so it calls the stream actor directly. */
function hashPart(ctx: OperationContext, part: PartOfMany, data: Uint8Array, given: CryptographicParameters | undefined): Promise<StreamOutput> {
  const { streams } = ctx.server;
  const owner = (inputs: PartInputs): StreamOwner => ({ kind: 'Hash', user: ctx.caller.user, object: '', inputs });
  const later = owner(laterInputs({ parameters: given && Object.keys(given).length > 0 ? given : undefined }));
  if (part.is === 'next') return streams.update(later, part.value, data);
  if (part.is === 'last') return streams.finish(later, part.value, data, undefined);
  const parameters = required(given, TAG.CryptographicParameters);
  const start = { algorithm: undefined, parameters, key: NOTHING, iv: undefined, aad: undefined, proof: undefined };
  return streams.begin({ ...owner(firstInputs(start)), ...start }, data);
}
