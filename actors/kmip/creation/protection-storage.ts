// Checks where an object may be stored: this server stores objects in software (KMIP 2.1 section 12.2, Protection Storage Mask).
import { Refusal } from '../../../kmip/refusal.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { type Node, type Structure, TYPE } from '../../../kmip/ttlv/node.ts';
import { child, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';

const { Software, OnSystem, OperatingSystem, OnPremises, SelfManaged, SameJurisdiction } = MASK.ProtectionStorageMask;
const OFFERED = Software | OnSystem | OperatingSystem | OnPremises | SelfManaged | SameJurisdiction;

/**
 * The masks are alternatives; the first one that the server can meet is used.
 * @throws Refusal ProtectionStorageUnavailable if it can meet none
 */
export function requireStorage(request: Structure, tag: number): void {
  const asked = masksIn(request, tag);
  if (asked.length > 0 && !asked.some(({ value }) => ((value as number) & ~OFFERED) === 0))
    throw new Refusal('ProtectionStorageUnavailable', 'this server keeps objects in software; none of the requested ProtectionStorageMasks permits Software');
}

/** For a new pair: the masks of both keys, and of each. @throws Refusal as `requireStorage` */
export function requirePairStorage(request: Structure): void {
  for (const tag of [TAG.CommonProtectionStorageMasks, TAG.PrivateProtectionStorageMasks, TAG.PublicProtectionStorageMasks]) requireStorage(request, tag);
}

/** Reads the structure of masks; some clients send a single mask instead. */
function masksIn(request: Structure, tag: number): readonly Node[] {
  const given = child(request, tag);
  if (given?.type === TYPE.Integer) return [given];
  return structureOf(request, tag)?.value.filter((node) => node.tag === TAG.ProtectionStorageMask && node.type === TYPE.Integer) ?? [];
}
