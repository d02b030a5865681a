// How a key wraps where neither the request nor KeyWrappingData says so: by its own CryptographicParameters (KMIP 2.1 section 3.3).
import type { CryptographicParameters } from '../../../../crypto/parameters.ts';
import { refusalOf } from '../../../../kmip/crypto-refusal.ts';
import { Refusal } from '../../../../kmip/refusal.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { type Structure, structure, TYPE } from '../../../../kmip/ttlv/node.ts';
import { required, structureOf } from '../../../../kmip/ttlv/read.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { fits, parametersOf } from '../cryptographic-parameters.ts';
import type { ObjectDescription } from '../managed-object.ts';

/** What the request says stands in the KeyWrappingData, and symmetric keys wrap with AES. @throws Refusal BadCryptographicParameters */
export function requireWrappingAlgorithm({ type }: ObjectDescription, { cryptographicAlgorithm: asked }: CryptographicParameters): void {
  if (type === ENUM.ObjectType.SymmetricKey && asked !== undefined && asked !== 'AES')
    throw new Refusal('BadCryptographicParameters', `a symmetric key wraps with AES, not with ${asked}`);
}

/** @param specification KeyWrappingSpecification @returns it with the parameters of the key, if it has none: KeyWrappingData then tells them */
export function withOwnParameters(specification: Structure, wrapper: ObjectDescription): Structure {
  const information = required(structureOf(specification, TAG.EncryptionKeyInformation), TAG.EncryptionKeyInformation);
  const own = saysHow(information) ? undefined : ownOf(wrapper);
  if (own === undefined) return specification;
  const members = information.value.filter(({ tag }) => tag !== TAG.CryptographicParameters);
  const completed = structure(information.tag, [...members, own]);
  return structure(
    specification.tag,
    specification.value.map((member) => (member.tag === TAG.EncryptionKeyInformation ? completed : member)),
  );
}

/** @param information EncryptionKeyInformation of KeyWrappingData @returns undefined if it says itself how the key was wrapped */
export function ownParameters(information: Structure, wrapper: ObjectDescription): CryptographicParameters | undefined {
  const own = saysHow(information) ? undefined : ownOf(wrapper);
  return own && parametersOf(own);
}

/**
 * What this server wrapped before it kept to the parameters of the key was wrapped in its default mode, which notices if it was not.
 * @param own the parameters of the wrapping key, if only they say how it wraps
 */
export async function unwrapEither<T>(
  stated: CryptographicParameters,
  own: CryptographicParameters | undefined,
  unwrap: (by: CryptographicParameters) => T | Promise<T>,
): Promise<T> {
  if (own === undefined) return unwrap(stated);
  try {
    return await unwrap(stated);
  } catch (error) {
    if (!refusalOf(error)) throw error;
    return unwrap(own);
  }
}

const saysHow = (information: Structure): boolean => (structureOf(information, TAG.CryptographicParameters)?.value.length ?? 0) > 0;

/** Its first ones that are for encryption and say how. */
function ownOf({ attributes }: ObjectDescription): Structure | undefined {
  for (const { node } of attributes.all(TAG.CryptographicParameters)) {
    if (node.type !== TYPE.Structure) continue;
    const own = parametersOf(node);
    if (fits(own, 'encryption') && (own.blockCipherMode !== undefined || own.paddingMethod !== undefined)) return node;
  }
  return undefined;
}
