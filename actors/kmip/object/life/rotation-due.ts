// When an object is due for rotation, according to its Rotate attributes (specification 2.1 section 4.49 and those after it).
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { TYPE } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ObjectDescription } from '../managed-object.ts';
import { dateAttribute } from './lifecycle.ts';

const { ObjectType, State } = ENUM;

/** A public key is rotated with its private key, and what other objects hold is made by nobody here. */
const ROTATED: ReadonlySet<number> = new Set([ObjectType.SymmetricKey, ObjectType.PrivateKey, ObjectType.Certificate]);

/**
 * Seconds since the epoch; undefined if the object is not rotated automatically. It is due one RotateInterval after its RotateDate,
 * which only replacements have, or else its InitialDate. An object that was already replaced is not rotated again;
 * an archived one waits until it is recovered, and one that is not active yet until it is.
 */
export function rotationDue({ type, state, attributes, archived }: ObjectDescription): number | undefined {
  if (archived || state !== State.Active || !ROTATED.has(type)) return undefined;
  const interval = attributes.first(TAG.RotateInterval);
  if (interval?.type !== TYPE.Interval || interval.value === 0) return undefined;
  const latest = attributes.first(TAG.RotateLatest);
  if (latest?.type === TYPE.Boolean && !latest.value) return undefined;
  if (attributes.first(TAG.RotateAutomatic)?.value === false) return undefined;
  const since = dateAttribute(attributes, TAG.RotateDate) ?? dateAttribute(attributes, TAG.InitialDate);
  return since === undefined ? undefined : since + interval.value;
}
