// The link from an object that is registered wrapped to the key that wraps it (KMIP 2.1 section 6.1.43).
import type { AttributeSet } from '../../../../kmip/attribute/set.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { type Structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { child, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { OperationContext } from '../../operation-context.ts';
import { link, linkedTo, setLink } from '../create.ts';
import type { DescriptionDraft } from '../managed-object.ts';

/**
 * Adds the link, unless the client gives one itself or the server does not manage the key. A key that the caller may not know of counts as that.
 * KMIP 1.x has no such link.
 */
export async function addWrappingLink(attributes: AttributeSet, content: Structure, ctx: OperationContext): Promise<void> {
  const information = ctx.version.major > 1 ? wrappingInformation(content) : undefined;
  if (!information || linkedTo({ attributes }, 'WrappingKeyLink') !== undefined) return;
  try {
    attributes.add(link('WrappingKeyLink', (await ctx.describe(information, 'GetAttributes')).id));
  } catch (error) {
    if (!refusalOf(error)) throw error;
  }
}

/** What names the key: that which encrypts, or else that which authenticates. */
function wrappingInformation(content: Structure): Structure | undefined {
  const block = structureOf(content, TAG.KeyBlock);
  const wrapping = block && structureOf(block, TAG.KeyWrappingData);
  const information = wrapping && (child(wrapping, TAG.EncryptionKeyInformation) ?? child(wrapping, TAG.MACSignatureKeyInformation));
  return information?.type === TYPE.Structure && child(information, TAG.UniqueIdentifier) ? information : undefined;
}

/** After the content was wrapped with another key. */
export function moveWrappingLink(draft: DescriptionDraft, key: string): void {
  if (linkedTo(draft, 'WrappingKeyLink') !== undefined) setLink(draft, 'WrappingKeyLink', key);
}
