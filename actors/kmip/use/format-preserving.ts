// FF1 in Encrypt and Decrypt, for which KMIP has no fields of its own.
import { type FpeParameters, fpeParametersFrom } from '../../../crypto/format-preserving/fpe.ts';
import { fpeDescription, mayDescribe } from '../../../crypto/format-preserving/fpe-description.ts';
import type { CryptographicParameters } from '../../../crypto/parameters.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { bytes, type Node, type Structure, TYPE, text } from '../../../kmip/ttlv/node.ts';
import { bytesOf, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import type { ManagedObject } from '../object/managed-object.ts';
import { noData } from './cipher-rules.ts';
import type { KeyUse } from './use-key.ts';

/**
 * The key has 256 bits and the algorithm FPE_FF1, or AES if the parameters name FPE_FF1. Data is UTF-8 text in the characters of the
 * alphabet, in the request and in the response. Vendor attributes `Attribute {VendorIdentification, AttributeName, AttributeValue}` give
 * the alphabet: those in CryptographicParameters of the request, or else those of the key.
 *
 * | AttributeName | AttributeValue |
 * |---|---|
 * | `alphabet` | TextString: `numeric` (the default), `alphabetic`, `alphanumeric`, `hexadecimal`, or the characters themselves |
 * | `radix` | Integer 2 to 36, instead of an alphabet |
 *
 * The tweak is then the IVCounterNonce or the AuthenticatedEncryptionAdditionalData of the request; without either it is empty.
 *
 * Other clients give both: the additional data is the alphabet (`numeric`, `alpha_lower`... or the characters themselves, or JSON:
 * see fpe-description.ts), and the IVCounterNonce is the tweak. Additional data alone is refused if it could be either.
 * @throws Refusal InvalidField
 */
export async function encryptFormat({ object, key }: KeyUse, parameters: CryptographicParameters, request: Structure): Promise<readonly Node[]> {
  const data = bytesOf(request, TAG.Data);
  if (data === undefined) throw noData('encrypt');
  const encrypted = await key.encrypt({ algorithm: 'FPE_FF1', parameters, data, format: formatFor(object, request) });
  return [text(TAG.UniqueIdentifier, object.id), bytes(TAG.Data, encrypted.data)];
}

/** @throws Refusal InvalidField */
export async function decryptFormat({ object, key }: KeyUse, parameters: CryptographicParameters, request: Structure, data: Uint8Array): Promise<Uint8Array> {
  if (bytesOf(request, TAG.AuthenticatedEncryptionTag)?.length)
    throw new Refusal('InvalidField', 'FF1 does not authenticate data; leave out AuthenticatedEncryptionTag');
  return key.decrypt({ algorithm: 'FPE_FF1', parameters, data, format: formatFor(object, request) });
}

function formatFor(object: ManagedObject, request: Structure): FpeParameters {
  const additional = bytesOf(request, TAG.AuthenticatedEncryptionAdditionalData) ?? new Uint8Array();
  const nonce = bytesOf(request, TAG.IVCounterNonce);
  const asked = fieldsOf(structureOf(request, TAG.CryptographicParameters)?.value ?? []);
  const isAsked = Object.keys(asked).length > 0;
  const fields = isAsked ? asked : fieldsOf(object.attributes.all(TAG.Attribute).map(({ node }) => node));
  if (additional.length === 0) return fpeParametersFrom(fields, nonce);
  if (nonce !== undefined) {
    if (isAsked)
      throw new Refusal('InvalidField', 'give the tweak of FF1 as additional data or as IVCounterNonce, not both; the parameters already give the alphabet');
    return { described: fpeDescription(additional), tweak: nonce };
  }
  if (!isAsked && mayDescribe(additional, Object.keys(fields).length > 0 ? undefined : DIGITS)) throw twoWays();
  return fpeParametersFrom(fields, additional);
}

/** The default alphabet. */
const DIGITS: ReadonlySet<string> = new Set('0123456789');

const twoWays = (): Refusal =>
  new Refusal(
    'InvalidField',
    'the additional data of FF1 is ambiguous. If it is the alphabet, give the tweak as IVCounterNonce, empty for none; if it is the tweak, give it as IVCounterNonce and no additional data',
  );

const FIELDS: ReadonlySet<string> = new Set(['alphabet', 'radix']);

function fieldsOf(nodes: readonly Node[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const node of nodes) {
    if (node.tag !== TAG.Attribute || node.type !== TYPE.Structure) continue;
    const name = textOf(node, TAG.AttributeName);
    if (name !== undefined && FIELDS.has(name)) fields[name] = node.value.find(({ tag }) => tag === TAG.AttributeValue)?.value;
  }
  return fields;
}
