// Where an object may be kept: this server keeps objects in software (KMIP 2.1 section 12.2, Protection Storage Mask).
import { Refusal } from '../refusal.ts';
import { MASK } from '../ttlv/mask.ts';
import { type Structure, TYPE } from '../ttlv/node.ts';
import { structureOf } from '../ttlv/read.ts';
import { TAG } from '../ttlv/tag.ts';

const { Software, OnSystem, OperatingSystem, OnPremises, SelfManaged, SameJurisdiction } = MASK.ProtectionStorageMask;
const OFFERED = Software | OnSystem | OperatingSystem | OnPremises | SelfManaged | SameJurisdiction;

/**
 * The masks are alternatives, the first that can be had is taken.
 * @throws Refusal ProtectionStorageUnavailable where none can
 */
export function requireStorage(request: Structure, tag: number): void {
  const masks = structureOf(request, tag);
  if (!masks) return;
  const asked = masks.value.filter((node) => node.tag === TAG.ProtectionStorageMask && node.type === TYPE.Integer);
  if (asked.length > 0 && !asked.some(({ value }) => ((value as number) & ~OFFERED) === 0))
    throw new Refusal('ProtectionStorageUnavailable', 'objects are kept in software here; none of the storage masks asked for is that');
}
