// What the requests and responses of multi-part operations have in common.
import type { GivenInputs } from '../../../kmip/part-inputs.ts';
import { bytes, type Node, type Structure } from '../../../kmip/ttlv/node.ts';
import { bytesOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { StreamOutput } from '../../stream/api.ts';
import { effectiveParameters, type Purpose } from '../object/cryptographic-parameters.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import type { PartOfMany } from './part.ts';

/** What a request gives besides its data. A later part may repeat what the first gave. */
export function repeated(request: Structure, object: ManagedObject, purpose: Purpose): GivenInputs {
  const isGiven = (structureOf(request, TAG.CryptographicParameters)?.value.length ?? 0) > 0;
  return {
    parameters: isGiven ? effectiveParameters(request, object, purpose) : undefined,
    iv: bytesOf(request, TAG.IVCounterNonce),
    aad: bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData),
  };
}

/** The CorrelationValue for the next request, unless this was the last part. */
export function correlation(part: PartOfMany, output: StreamOutput): readonly Node[] {
  return part.is === 'last' ? [] : [bytes(TAG.CorrelationValue, output.value)];
}
