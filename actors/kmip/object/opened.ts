// Opens what is stored wrapped with its wrapping key, for the one use that is at hand.
import type { Structure } from '../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../operations/operation.ts';
import type { ManagedObject } from './managed-object.ts';
import { unwrapContent } from './wrapping.ts';

/**
 * The object with its material in clear; most are stored so, and are returned as they are. What has been opened is not kept, since the
 * right to the wrapping key may be gone by the next use.
 * @throws Refusal where the caller may not unwrap with the wrapping key, or it is not there or not usable, or does not open the object
 */
export async function opened(object: ManagedObject, ctx: OperationContext): Promise<ManagedObject> {
  const { content } = object;
  return content !== undefined && isWrapped(content) ? { ...object, content: await unwrapContent(content, ctx) } : object;
}

function isWrapped(content: Structure): boolean {
  const block = structureOf(content, TAG.KeyBlock);
  return block !== undefined && structureOf(block, TAG.KeyWrappingData) !== undefined;
}
