// How long a client may use its copy of an object before it must ask again (KMIP specification 2.1 section 4.30).
import { TYPE } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ObjectDescription } from '../managed-object.ts';

const LEASE_SECONDS = 3600;

/** The object's LeaseTime if it has one, otherwise an hour. */
export function leaseSeconds({ attributes }: ObjectDescription): number {
  const node = attributes.first(TAG.LeaseTime);
  return node?.type === TYPE.Interval ? node.value : LEASE_SECONDS;
}
