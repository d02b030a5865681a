// Usage limits: how often, or on how many bytes, a key may still apply protection (KMIP specification 2.1 section 4.59).
import { Refusal, type ResultReason } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { enumeration, longInteger, type Structure, structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { codeOf, longOf, required } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import type { DescriptionDraft, ObjectDescription } from '../managed-object.ts';
import { requireUse, USE, type Use } from './usage.ts';

interface UsageLimits {
  readonly total: bigint;
  /** The remaining part of `total`. */
  readonly count: bigint;
  readonly unit: number;
}

/** The limits of a key; undefined for most keys, whose use then needs no access to the store. */
export function usageLimitsOf(object: ObjectDescription): UsageLimits | undefined {
  const node = object.attributes.first(TAG.UsageLimits);
  return node?.type === TYPE.Structure ? read(node) : undefined;
}

function read(node: Structure): UsageLimits {
  const total = required(longOf(node, TAG.UsageLimitsTotal), TAG.UsageLimitsTotal);
  return { total, count: longOf(node, TAG.UsageLimitsCount) ?? total, unit: required(codeOf(node, TAG.UsageLimitsUnit), TAG.UsageLimitsUnit) };
}

/**
 * Takes units from a key inside a transaction.
 * @param units to take; if fewer are left, nothing is taken
 * @throws Refusal with `reason`
 */
export function take(draft: DescriptionDraft, limits: UsageLimits, units: bigint, reason: ResultReason): void {
  if (units > limits.count) throw new Refusal(reason, `the usage limits of ${draft.id} are exhausted: ${units} units are needed, ${limits.count} are left`);
  draft.attributes.set(
    structure(TAG.UsageLimits, [
      longInteger(TAG.UsageLimitsTotal, limits.total),
      longInteger(TAG.UsageLimitsCount, limits.count - units),
      enumeration(TAG.UsageLimitsUnit, limits.unit),
    ]),
  );
}

/** Whether the limits of a key count bytes; otherwise they count objects, whatever their length. */
export const isLimitedByBytes = (object: ObjectDescription): boolean => usageLimitsOf(object)?.unit === ENUM.UsageLimitsUnit.Byte;

/** The units that one use on this number of bytes consumes. */
export function unitsOf(limits: UsageLimits, bytes: number): bigint {
  return limits.unit === ENUM.UsageLimitsUnit.Byte ? BigInt(bytes) : 1n;
}

/**
 * Takes the units of one use inside a transaction, which then updates the key.
 * @param bytes of data to protect
 * @returns whether the key has limits
 * @throws Refusal with `reason`; PermissionDenied is that of sections 6.1.17 and 6.1.55
 */
export function takeUse(draft: DescriptionDraft, bytes: number, reason: ResultReason = 'PermissionDenied'): boolean {
  const limits = usageLimitsOf(draft);
  if (limits) take(draft, limits, unitsOf(limits, bytes), reason);
  return limits !== undefined;
}

/** As spendUsage, for any key that wraps another. */
export function spendWrapping(ctx: OperationContext, wrapper: ObjectDescription, bytes: number): Promise<void> | undefined {
  return wrapper.attributes.has(TAG.UsageLimits) ? spendUsage(ctx, wrapper, USE.WrapKey, bytes) : undefined;
}

/**
 * Consumes the units of one use before the use. A use that fails afterwards does not return them. Only for a key that has limits.
 * @param bytes of data to protect
 * @throws Refusal as `takeUse` and `requireUse`
 */
export function spendUsage(ctx: OperationContext, object: ObjectDescription, use: Use, bytes: number): Promise<void> {
  return ctx.change(async (tx) => {
    const draft = await tx.describeById(object.id, use.operation);
    requireUse(draft, use, ctx.now);
    if (takeUse(draft, bytes, use.operation === 'MAC' ? 'UsageLimitExceeded' : undefined)) await tx.update(draft);
  });
}
