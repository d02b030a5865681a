// Unwraps an object that is stored wrapped, for one use only.
import { structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../operation-context.ts';
import type { ManagedObject } from './managed-object.ts';
import { unwrapContent } from './wrapping.ts';

/**
 * The object with its material in clear. Most objects are stored in clear and are returned as they are. The unwrapped material is not
 * kept, because the caller may have lost the right to the wrapping key by the next use.
 * @throws Refusal if the wrapping key is missing, unusable or not the caller's to unwrap with, or if it does not unwrap the object
 */
export async function openWrapped(object: ManagedObject, ctx: OperationContext): Promise<ManagedObject> {
  return object.content !== undefined && isWrapped(object) ? { ...object, content: await unwrapContent(object.content, ctx) } : object;
}

/** Whether the material is stored wrapped. */
export function isWrapped({ content }: ManagedObject): boolean {
  const block = content && structureOf(content, TAG.KeyBlock);
  return block !== undefined && structureOf(block, TAG.KeyWrappingData) !== undefined;
}
