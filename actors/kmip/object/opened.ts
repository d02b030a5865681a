// Unwraps an object that is stored wrapped, for one use only.
import { structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../operation-context.ts';
import type { ManagedObject } from './managed-object.ts';
import { unwrapContent } from './wrapping.ts';

/**
 * The object with its material in clear; most are stored so, and are returned as they are. What has been opened is not kept, since the
 * right to the wrapping key may be gone by the next use.
 * @throws Refusal where the caller may not unwrap with the wrapping key, or it is not there or not usable, or does not open the object
 */
export async function openWrapped(object: ManagedObject, ctx: OperationContext): Promise<ManagedObject> {
  return object.content !== undefined && isWrapped(object) ? { ...object, content: await unwrapContent(object.content, ctx) } : object;
}

/** Whether the material is stored wrapped. */
export function isWrapped({ content }: ManagedObject): boolean {
  const block = content && structureOf(content, TAG.KeyBlock);
  return block !== undefined && structureOf(block, TAG.KeyWrappingData) !== undefined;
}
