// What the responses of multi-part operations have in common.
import { bytes, type Node } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { StreamOutput } from '../../stream/api.ts';
import type { PartOfMany } from './part.ts';

/** The CorrelationValue for the next request, unless this was the last part. */
export function correlation(part: PartOfMany, output: StreamOutput): readonly Node[] {
  return part.is === 'last' ? [] : [bytes(TAG.CorrelationValue, output.value)];
}
