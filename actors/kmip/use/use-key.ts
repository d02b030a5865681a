// The one way to use a key: the right to it, its state and mask, its opening where it is stored wrapped, its kind, and its usage limits.
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type Key, keyOf } from '../object/key.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { isWrapped, openWrapped } from '../object/opened.ts';
import { requireUse, type Use } from '../object/usage.ts';
import { spendUsage } from '../object/usage-limits.ts';
import type { OperationContext } from '../operation-context.ts';

/** A key for one use that is permitted. */
export class KeyUse {
  /** Of the key, with its material in clear. */
  readonly object: ManagedObject;
  readonly key: Key;
  readonly #ctx: OperationContext;
  readonly #use: Use;

  constructor(ctx: OperationContext, object: ManagedObject, use: Use) {
    this.object = object;
    this.key = keyOf(object, ctx);
    this.#ctx = ctx;
    this.#use = use;
  }

  /**
   * Takes what the use needs from the usage limits, before the use; what fails afterwards has been spent. Most keys have no limits, and what is
   * protected already costs nothing.
   * @param bytes of data to protect
   * @throws Refusal as `spendUsage`
   */
  spend(bytes: number): Promise<void> | undefined {
    return this.#use.protects && this.object.attributes.has(TAG.UsageLimits) ? spendUsage(this.#ctx, this.object, this.#use, bytes) : undefined;
  }
}

/**
 * @param named the object, found with the right that the use needs; or a payload that names it
 * @param tag under which the payload names it
 * @throws Refusal as `use` of the context, `requireUse` and `opened`, in this order
 */
export async function useKey(ctx: OperationContext, named: ManagedObject | Structure, use: Use, tag?: number): Promise<KeyUse> {
  const found = 'tag' in named ? await ctx.use(named, use.operation, tag) : named;
  requireUse(found, use, ctx.now);
  return new KeyUse(ctx, isWrapped(found) ? await openWrapped(found, ctx) : found, use);
}

/**
 * The same for callers that look at the key first: what an algorithm does not take is refused before what the key's state, dates and mask forbid.
 * @param fits throws what the key is refused with
 */
export async function useFittingKey(ctx: OperationContext, found: ManagedObject, use: Use, fits: (key: Key, object: ManagedObject) => void): Promise<KeyUse> {
  const permitted = new KeyUse(ctx, isWrapped(found) ? await openWrapped(found, ctx) : found, use);
  fits(permitted.key, permitted.object);
  requireUse(found, use, ctx.now);
  return permitted;
}
