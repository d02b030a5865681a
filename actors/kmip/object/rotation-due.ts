// When an object is due to be rotated, from its Rotate attributes (specification 2.1 section 4.49 and those after it).
import { TYPE } from '../ttlv/node.ts';
import { TAG } from '../ttlv/tag.ts';
import type { ReadonlyAttributes } from './attributes.ts';
import { dateAttribute } from './lifecycle.ts';

/**
 * Seconds since the epoch; undefined where nothing rotates it. The first rotation comes RotateInterval, and RotateOffset where there is one,
 * after the InitialDate; the next ones RotateInterval after the RotateDate. Only the newest generation of a keyset is rotated.
 */
export function rotationDue({ attributes }: { readonly attributes: ReadonlyAttributes }): number | undefined {
  const interval = attributes.first(TAG.RotateInterval);
  if (interval?.type !== TYPE.Interval || interval.value === 0) return undefined;
  const latest = attributes.first(TAG.RotateLatest);
  if (latest?.type === TYPE.Boolean && !latest.value) return undefined;
  const last = dateAttribute(attributes, TAG.RotateDate);
  if (last !== undefined) return last + interval.value;
  const first = dateAttribute(attributes, TAG.InitialDate);
  const offset = attributes.first(TAG.RotateOffset);
  return first === undefined ? undefined : first + interval.value + (offset?.type === TYPE.Interval ? offset.value : 0);
}
