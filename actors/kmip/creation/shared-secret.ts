// The secret that Encapsulate and Decapsulate make: a new SecretData, which both sides have afterwards (KMIP 3.0 sections 6.1.15 and 6.1.22).
import { type Kem, kemOf } from '../../../crypto/key/encapsulation.ts';
import { keyBlock } from '../../../kmip/key-block.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { enumNameOf, structureOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { newAttributes } from '../object/attributes/new-attributes.ts';
import { newObject, requireCreation } from '../object/create.ts';
import type { Key } from '../object/key.ts';
import { chosenIn, placeFor } from '../object/place.ts';
import type { OperationContext } from '../operation-context.ts';
import { withDefaults } from '../policy/defaults.ts';
import { secretFormat } from './made-format.ts';

const type = ENUM.ObjectType.SecretData;

/**
 * Checks everything that may refuse the new object, before a key is used.
 * @param asked a request with the Attributes of the secret @returns stores the secret; its result is the identifier
 */
export async function secretToMake(asked: Structure, ctx: OperationContext, event: string): Promise<(secret: Uint8Array) => Promise<string>> {
  const request = withDefaults(asked, (await ctx.policy()).defaults, { type, tags: [TAG.Attributes] });
  const given = newAttributes(request, type, TAG.Attributes);
  const format = secretFormat(given, 'Raw');
  await requireCreation(ctx);
  const place = placeFor(ctx, { type, chosen: chosenIn(given.nodes()) });
  return async (secret) => {
    const block = keyBlock({ format, material: secret, length: secret.length * 8 });
    const content = structure(TAG.SecretData, [enumeration(TAG.SecretDataType, ENUM.SecretDataType.Seed), block]);
    return ctx.change(async (tx) => {
      const draft = newObject(ctx, { place, type, content, attributes: given.copy() });
      await tx.insert(draft);
      await tx.audit(event, draft.id);
      return draft.id;
    });
  };
}

/** @throws Refusal BadCryptographicParameters if the request names another mechanism than that of the key, CryptoError unsupported if it has none */
export function requireKem(request: Structure, { id, algorithm, curve }: Pick<Key, 'id' | 'algorithm' | 'curve'>): Kem {
  if (algorithm === undefined) throw new Refusal('InvalidObjectType', `${id} is no key of a pair`);
  const kem = kemOf({ algorithm, ...(curve !== undefined && { curve }) });
  const parameters = structureOf(request, TAG.CryptographicParameters);
  const asked = parameters && enumNameOf(parameters, TAG.KEMAlgorithm, 'KEMAlgorithm');
  if (asked !== undefined && asked !== kem) throw new Refusal('BadCryptographicParameters', `the KEM algorithm of ${id} is ${kem}, not ${asked}`);
  return kem;
}
