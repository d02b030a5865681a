// The only way to use a key: checks the right, the state and the mask, unwraps the key if it is stored wrapped, and consumes usage limits.
import { andThen } from '../../../kernel/at-once.ts';
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { type Key, keyOf } from '../object/key.ts';
import { requireUse, type Use } from '../object/life/usage.ts';
import { isLimitedByBytes, spendUsage } from '../object/life/usage-limits.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { isWrapped, openKey } from '../object/wrapping/opened.ts';
import type { OperationContext } from '../operation-context.ts';
import type { Part } from './part.ts';

/** A key that may be used once. */
export class KeyUse {
  /** The object of the key; its material is the key's business. */
  readonly object: ManagedObject;
  readonly key: Key;
  readonly #ctx: OperationContext;
  readonly #use: Use;

  constructor(ctx: OperationContext, object: ManagedObject, use: Use, key: Key = keyOf(object, ctx)) {
    this.object = object;
    this.key = key;
    this.#ctx = ctx;
    this.#use = use;
  }

  /**
   * Consumes the usage limits before the use. A use that fails afterwards does not return them. Most keys have no limits, and uses that
   * process protected data consume none.
   * @param bytes of data to protect
   * @param part several parts are together one object, which is counted with the first
   * @throws Refusal as `spendUsage`
   */
  spend(bytes: number, part: Part['is'] = 'whole'): Promise<void> | undefined {
    if (!this.#use.protects || !this.object.attributes.has(TAG.UsageLimits)) return undefined;
    if ((part === 'next' || part === 'last') && !isLimitedByBytes(this.object)) return undefined;
    return spendUsage(this.#ctx, this.object, this.#use, bytes);
  }
}

/**
 * The key is there at once if it is in memory.
 * @param named the object, found with the right that the use needs; or a payload that names it
 * @param tag of the identifier in the payload
 * @throws Refusal as `use` of the context, `requireUse` and `openKey`, in this order
 */
export function useKey(ctx: OperationContext, named: ManagedObject | Structure, use: Use, tag?: number): KeyUse | Promise<KeyUse> {
  const found = 'tag' in named ? ctx.use(named, use.operation, tag) : named;
  return found instanceof Promise ? found.then((object) => requiredUse(ctx, object, use)) : requiredUse(ctx, found, use);
}

function requiredUse(ctx: OperationContext, found: ManagedObject, use: Use): KeyUse | Promise<KeyUse> {
  requireUse(found, use, ctx.now);
  return isWrapped(found) ? openUse(ctx, found, use) : new KeyUse(ctx, found, use);
}

async function openUse(ctx: OperationContext, found: ManagedObject, use: Use): Promise<KeyUse> {
  const { object, key } = await openKey(found, ctx);
  return new KeyUse(ctx, object, use, key);
}

/**
 * As useKey, for callers that look at the key first: a key that does not fit the algorithm is refused before its state, dates and mask are checked.
 * @param fits throws the refusal if the key does not fit
 */
export function useFittingKey(
  ctx: OperationContext,
  found: ManagedObject,
  use: Use,
  fits: (key: Key, object: ManagedObject) => void,
): KeyUse | Promise<KeyUse> {
  return andThen(isWrapped(found) ? openUse(ctx, found, use) : new KeyUse(ctx, found, use), (permitted) => {
    fits(permitted.key, permitted.object);
    requireUse(found, use, ctx.now);
    return permitted;
  });
}
