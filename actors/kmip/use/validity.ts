// The result of verifying a signature or MAC with every generation of a keyset that may have made it.
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Node, text } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from '../object/managed-object.ts';

export function validity(valid: boolean): Node {
  return enumeration(TAG.ValidityIndicator, valid ? ENUM.ValidityIndicator.Valid : ENUM.ValidityIndicator.Invalid);
}

/**
 * Returns the first object that verifies, or else the newest with Invalid.
 * @param verify throws a Refusal for an object that cannot verify; the first Refusal is thrown only if no object can
 */
export async function verifyWithAny(candidates: readonly ManagedObject[], verify: (object: ManagedObject) => Promise<boolean>): Promise<readonly Node[]> {
  let refusal: Refusal | undefined;
  let tried: ManagedObject | undefined;
  for (const object of candidates) {
    try {
      if (await verify(object)) return [text(TAG.UniqueIdentifier, object.id), validity(true)];
      tried ??= object;
    } catch (error) {
      const refused = refusalOf(error);
      if (!refused) throw error;
      refusal ??= refused;
    }
  }
  if (tried === undefined) throw refusal as Refusal;
  return [text(TAG.UniqueIdentifier, tried.id), validity(false)];
}
