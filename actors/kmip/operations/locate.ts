// Locate: finds the objects with all requested attributes, the caller's own before others, newer before older (KMIP 2.1 section 6.1.28).
import { asStored, requireType } from '../../../kmip/attribute/rules.ts';
import { payloadMembers } from '../../../kmip/message/payload-members.ts';
import { spoken } from '../../../kmip/message/version-values.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { codeName } from '../../../kmip/ttlv/enumeration-of.ts';
import { MASK } from '../../../kmip/ttlv/mask.ts';
import { integer, type Node, type Structure, text } from '../../../kmip/ttlv/node.ts';
import { codeOf, integerOf, nameOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Version } from '../../../kmip/version.ts';
import type { Operation } from '../operation.ts';
import type { OperationContext } from '../operation-context.ts';

/** Maximum in one response; clients get the rest with OffsetItems. */
const MAX_FOUND = 1_000;

export const locate = {
  name: 'Locate',
  members: payloadMembers(['MaximumItems', 'OffsetItems', 'StorageStatusMask', 'ObjectGroupMember', 'Attributes']),
  leaves: [{ tag: TAG.UniqueIdentifier, code: ENUM.UniqueIdentifier.Locate, alone: true }],
  run,
} satisfies Operation;

async function run(request: Structure, ctx: OperationContext): Promise<readonly Node[]> {
  const maximum = natural(integerOf(request, TAG.MaximumItems), 'MaximumItems');
  const offset = natural(integerOf(request, TAG.OffsetItems), 'OffsetItems') ?? 0;
  const groupMember = codeOf(request, TAG.ObjectGroupMember);
  if (groupMember !== undefined) nameOf('ObjectGroupMember', groupMember);
  const { ids, total } = await ctx.server.objects.find(ctx, {
    attributes: (structureOf(request, TAG.Attributes)?.value ?? []).map(condition),
    storage: storageOf(request, ctx.version),
    groupMember,
    offset,
    limit: Math.min(maximum ?? MAX_FOUND, MAX_FOUND),
  });
  // Section 6.1.28: a server may leave the number out that it is unable to determine.
  return [...(total === undefined ? [] : [integer(TAG.LocatedItems, total)]), ...ids.map((id) => text(TAG.UniqueIdentifier, id))];
}

/** No object has a value of another type: a search for one would find nothing, and not say why. @throws Refusal InvalidField */
function condition(node: Node): Node {
  const whole = asStored(node);
  requireType(whole, 'InvalidField');
  return whole;
}

const { OnLineStorage, ArchivalStorage, DestroyedStorage } = MASK.StorageStatusMask;
const STORAGES_OF_1 = OnLineStorage | ArchivalStorage;

function storageOf(request: Structure, version: Version): number | undefined {
  const mask = integerOf(request, TAG.StorageStatusMask);
  const unknown = (mask ?? 0) & ~(version.major === 1 ? STORAGES_OF_1 : STORAGES_OF_1 | DestroyedStorage);
  if (unknown !== 0) throw new Refusal('InvalidField', `${spoken(version)} has no bits ${codeName(unknown >>> 0, undefined)} in StorageStatusMask`);
  return mask;
}

function natural(value: number | undefined, name: string): number | undefined {
  if (value !== undefined && value < 0) throw new Refusal('InvalidField', `${name} must not be negative`);
  return value;
}
