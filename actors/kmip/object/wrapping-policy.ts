// The vendor attribute `wrapping_key_id`: an object that has it is returned wrapped by that key unless the client requests it in clear.
import type { AttributeValue, ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, type Structure, structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { Draft } from './managed-object.ts';

const NAME = 'wrapping_key_id';

interface Policy {
  readonly held: AttributeValue;
  readonly vendor: string;
  readonly key: string;
}

function policyOf({ attributes }: { readonly attributes: ReadonlyAttributes }): Policy | undefined {
  for (const held of attributes.all(TAG.Attribute)) {
    const { node } = held;
    if (node.type !== TYPE.Structure || textOf(node, TAG.AttributeName) !== NAME) continue;
    const value = node.value.find(({ tag }) => tag === TAG.AttributeValue);
    if (value?.type === TYPE.TextString) return { held, vendor: textOf(node, TAG.VendorIdentification) ?? '', key: value.value };
  }
  return undefined;
}

/** Identifier of the key that wraps an object when it is returned. */
export const wrapperOf = (object: { readonly attributes: ReadonlyAttributes }): string | undefined => policyOf(object)?.key;

/** Replaces the name of the wrapping key after its rotation. */
export function setWrapper(draft: Draft, key: string): void {
  const policy = policyOf(draft);
  if (!policy) return;
  const members = [text(TAG.VendorIdentification, policy.vendor), text(TAG.AttributeName, NAME), text(TAG.AttributeValue, key)];
  draft.attributes.replaceValue(policy.held, structure(TAG.Attribute, members));
}

/** A KeyWrappingSpecification for the key with this identifier: RFC 5649 over the whole KeyValue, which every format has. */
export function wrappingSpecification(key: string): Structure {
  return structure(TAG.KeyWrappingSpecification, [
    enumeration(TAG.WrappingMethod, ENUM.WrappingMethod.Encrypt),
    structure(TAG.EncryptionKeyInformation, [
      text(TAG.UniqueIdentifier, key),
      structure(TAG.CryptographicParameters, [enumeration(TAG.BlockCipherMode, ENUM.BlockCipherMode.AESKeyWrapPadding)]),
    ]),
    enumeration(TAG.EncodingOption, ENUM.EncodingOption.TTLVEncoding),
  ]);
}
