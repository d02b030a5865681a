// The members that valid requests are put together from.
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { MASK } from '../../kmip/ttlv/mask.ts';
import { boolean, bytes, dateTime, enumeration, integer, type Node, type Structure, structure, text } from '../../kmip/ttlv/node.ts';
import { TAG, type TagName } from '../../kmip/ttlv/tag.ts';

export const SECONDS = 1_700_000_000;
export const IV = new Uint8Array(12).fill(0x31);
export const DATA = new Uint8Array(Buffer.from('the quick brown fox'));
/** PKCS#10 of a P-256 key, `CN=Requested, O=Acme`. */
export const CERTIFICATE_REQUEST = new Uint8Array(
  Buffer.from(
    'MIHeMIGFAgEAMCMxEjAQBgNVBAMMCVJlcXVlc3RlZDENMAsGA1UECgwEQWNtZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPRwA516Zk45OSDIwxS8NY3MUHG/FJCfWmHz6WYOvQY63wG4n5W+2R1j2XTsM7ulJEb95FJKF6zLK5yYzkVPHEqgADAKBggqhkjOPQQDAgNIADBFAiABbz7EPPC8fsdqq6XZEyfE7HzN3AQOqaJ772L+wGGKnQIhAPoQCl/wZrHZt+6Tyo0s9YxSDZLqnXF791yMotk6+JyG',
    'base64',
  ),
);

/** Material of keys that the requests themselves bring. */
export const BROUGHT = new Uint8Array(Buffer.from('5b9c0e1f7a3d42866ac1d0b7e2f49835', 'hex'));

export const id = (value: string): Node => text(TAG.UniqueIdentifier, value);
export const attributes = (...members: readonly Node[]): Structure => structure(TAG.Attributes, members);
export const code = <E extends keyof typeof ENUM & TagName>(name: E, value: keyof (typeof ENUM)[E]): Node =>
  enumeration(TAG[name], ENUM[name][value] as number);
export const mask = (value: number): Node => integer(TAG.CryptographicUsageMask, value);
export const ANY_USE = MASK.CryptographicUsageMask.Unrestricted;
export const active = dateTime(TAG.ActivationDate, SECONDS - 1000);
export const name = (value: string): Node =>
  structure(TAG.Name, [text(TAG.NameValue, value), enumeration(TAG.NameType, ENUM.NameType.UninterpretedTextString)]);
export const vendor = (attribute: string, value: string, owner = 'cosmian'): Node =>
  structure(TAG.Attribute, [text(TAG.VendorIdentification, owner), text(TAG.AttributeName, attribute), text(TAG.AttributeValue, value)]);
export const link = (type: keyof typeof ENUM.LinkType, to: string): Node => structure(TAG.Link, [code('LinkType', type), text(TAG.LinkedObjectIdentifier, to)]);
export const custom = (value: string): Node => vendor('Barcode', value, 'x');
export const parameters = (...members: readonly Node[]): Structure => structure(TAG.CryptographicParameters, members);
export const reference = (tag: number): Node => enumeration(TAG.AttributeReference, tag);
export const vendorReference = structure(TAG.AttributeReference, [text(TAG.VendorIdentification, 'x'), text(TAG.AttributeName, 'Barcode')]);
export const newAttribute = (node: Node): Structure => structure(TAG.NewAttribute, [node]);
export const data = (value: Uint8Array = DATA): Node => bytes(TAG.Data, value);
export const iv = bytes(TAG.IVCounterNonce, IV);
export const init = boolean(TAG.InitIndicator, true);
export const final = boolean(TAG.FinalIndicator, true);
export const correlation = bytes(TAG.CorrelationValue, new Uint8Array(16));
export const gcm = parameters(code('BlockCipherMode', 'GCM'), integer(TAG.TagLength, 16));
export const sha256 = code('HashingAlgorithm', 'SHA_256');
export const subject = (cn: string): Structure =>
  structure(TAG.CertificateAttributes, [text(TAG.CertificateSubjectCN, cn), text(TAG.CertificateSubjectO, 'Acme')]);
export const wrapping = structure(TAG.KeyWrappingSpecification, [
  code('WrappingMethod', 'Encrypt'),
  structure(TAG.EncryptionKeyInformation, [id('wrapper'), parameters(code('BlockCipherMode', 'NISTKeyWrap'))]),
  code('EncodingOption', 'NoEncoding'),
]);

export const keyBlock = (material: Uint8Array | readonly Node[], format: keyof typeof ENUM.KeyFormatType, ...more: readonly Node[]): Structure =>
  structure(TAG.KeyBlock, [
    code('KeyFormatType', format),
    structure(TAG.KeyValue, [material instanceof Uint8Array ? bytes(TAG.KeyMaterial, material) : structure(TAG.KeyMaterial, material)]),
    ...more,
  ]);
export const symmetricKey = (material: Uint8Array, algorithm: keyof typeof ENUM.CryptographicAlgorithm = 'AES'): Structure =>
  structure(TAG.SymmetricKey, [keyBlock(material, 'Raw', code('CryptographicAlgorithm', algorithm), integer(TAG.CryptographicLength, material.length * 8))]);
export const password = (material: Uint8Array): Structure => structure(TAG.SecretData, [code('SecretDataType', 'Password'), keyBlock(material, 'Opaque')]);
export const opaque = (value: Uint8Array): Structure =>
  structure(TAG.OpaqueObject, [enumeration(TAG.OpaqueDataType, 0x80000001), bytes(TAG.OpaqueDataValue, value)]);
export const certificateRequest = structure(TAG.CertificateRequest, [
  code('CertificateRequestType', 'PKCS_10'),
  bytes(TAG.CertificateRequestValue, CERTIFICATE_REQUEST),
]);

export const aes = (bits: number, ...more: readonly Node[]): Structure =>
  attributes(code('CryptographicAlgorithm', 'AES'), integer(TAG.CryptographicLength, bits), mask(ANY_USE), ...more);
export const derivation = (method: keyof typeof ENUM.DerivationMethod, base: string, ...members: readonly Node[]): Node[] => [
  code('ObjectType', 'SymmetricKey'),
  id(base),
  code('DerivationMethod', method),
  structure(TAG.DerivationParameters, members),
  aes(128),
];
export const derivationData = bytes(TAG.DerivationData, DATA);
export const pairOf = (...common: readonly Node[]): Structure => structure(TAG.CommonAttributes, common);
export const certificateLink = link('CertificateLink', 'root');
