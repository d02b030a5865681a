// The end of a keyset: which generation may be replaced, and how a replacement passes those that are destroyed.
import { boolean, integer } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import type { ObjectTransaction } from '../../operation-context.ts';
import { linkedTo } from '../create.ts';
import { generationAfter, generationOf } from '../finding/generation.ts';
import { keysetOf } from '../index-terms.ts';
import { isDestroyed } from '../life/lifecycle.ts';
import type { DescriptionDraft } from '../managed-object.ts';

/** The two keys of a pair may be in one keyset. */
const isNewer = (other: DescriptionDraft, draft: DescriptionDraft): boolean => other.type === draft.type && generationOf(other) > generationOf(draft);

/** Whether it was replaced before, and is in a keyset. */
const isReplaced = (draft: DescriptionDraft): boolean => keysetOf(draft) !== undefined && linkedTo(draft, 'ReplacementObjectLink') !== undefined;

/**
 * Whether a newer generation is in the keyset. A destroyed one does not count: the name of the keyset means the generation before it (`Finder`),
 * which could otherwise never be rotated again.
 */
export async function isFollowed(tx: ObjectTransaction, draft: DescriptionDraft): Promise<boolean> {
  if (!isReplaced(draft)) return false;
  const replacement = await tx.read(linkedTo(draft, 'ReplacementObjectLink') as string);
  if (replacement && !isDestroyed(replacement.state)) return true;
  return (await tx.generations(draft)).some((other) => !isDestroyed(other.state) && isNewer(other, draft));
}

/** Gives a replacement the number after those of destroyed generations, which are not the latest any more. */
export async function passDestroyed(tx: ObjectTransaction, old: DescriptionDraft, { attributes }: DescriptionDraft): Promise<void> {
  if (!isReplaced(old)) return;
  const destroyed = (await tx.generations(old)).filter((other) => isDestroyed(other.state) && isNewer(other, old));
  for (const other of destroyed) {
    other.attributes.set(boolean(TAG.RotateLatest, false));
    await tx.update(other);
  }
  attributes.set(integer(TAG.RotateGeneration, generationAfter(generationOf(old), ...destroyed.map(generationOf))));
}
