// The key format in which the server makes keys and secrets: the one that the client asks for, or a refusal (KMIP specification 2.1 section 4.26).
import type { ReadonlyAttributes } from '../../../kmip/attribute/set.ts';
import type { KeyFormatType } from '../../../kmip/key-format/key-format-type.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { givenFormat } from '../object/attributes/new-attributes.ts';

/** @throws Refusal KeyFormatTypeNotSupported */
export function symmetricFormat(attributes: ReadonlyAttributes): 'Raw' | 'TransparentSymmetricKey' {
  return madeFormat(attributes, 'a symmetric key', 'Raw', 'TransparentSymmetricKey');
}

/** @param usual if the client asks for none @throws Refusal KeyFormatTypeNotSupported */
export function secretFormat(attributes: ReadonlyAttributes, usual: 'Raw' | 'Opaque'): 'Raw' | 'Opaque' {
  return madeFormat(attributes, 'secret data', usual, 'Raw', 'Opaque');
}

/** @param what the words for the object @param usual if the client asks for none @throws Refusal KeyFormatTypeNotSupported for another than these */
export function madeFormat<F extends KeyFormatType>(attributes: ReadonlyAttributes, what: string, usual: F, ...others: readonly F[]): F {
  const asked = givenFormat(attributes);
  const format = asked === undefined ? usual : [usual, ...others].find((each) => each === asked);
  if (format === undefined) throw new Refusal('KeyFormatTypeNotSupported', `${what} cannot be made as ${asked}: unsupported key format`);
  return format;
}
