// Unwraps an object that is stored wrapped, for one use only.
import type { Structure } from '../../../../kmip/ttlv/node.ts';
import { structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { type Key, keyOf } from '../key.ts';
import type { ManagedObject } from '../managed-object.ts';
import { unwrapContent, unwrapperOf, unwrapWith } from './wrapping.ts';

/**
 * The object with its material in clear. Most objects are stored in clear and are returned as they are. The unwrapped material is not
 * kept, because the caller may have lost the right to the wrapping key by the next use.
 * @throws Refusal if the wrapping key is missing, unusable or not the caller's to unwrap with, or if it does not unwrap the object
 */
export async function openWrapped(object: ManagedObject, ctx: OperationContext): Promise<ManagedObject> {
  return object.content !== undefined && isWrapped(object) ? { ...object, content: await unwrapContent(object.content, ctx) } : object;
}

/**
 * The key of an object that is stored wrapped, for one use: where its wrapping key lies, if it can be used there, or else unwrapped.
 * @throws Refusal as `openWrapped`
 */
export async function openKey(object: ManagedObject, ctx: OperationContext): Promise<{ readonly object: ManagedObject; readonly key: Key }> {
  const { key: wrapper, own, material } = await unwrapperOf(object.content as Structure, ctx);
  let opened: ManagedObject | undefined;
  const inClear = async () => {
    opened ??= { ...object, content: await unwrapWith(wrapper, object.content as Structure, own) };
    return keyOf(opened, ctx);
  };
  const there = material && (await wrapper.hold?.(object, material, inClear));
  if (there) return { object, key: there };
  const key = await inClear();
  return { object: opened as ManagedObject, key };
}

/** Whether the material is stored wrapped. */
export function isWrapped({ content }: ManagedObject): boolean {
  const block = content && structureOf(content, TAG.KeyBlock);
  return block !== undefined && structureOf(block, TAG.KeyWrappingData) !== undefined;
}
