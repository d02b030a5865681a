// Checks the members of the structures inside a payload by the rule of the payload itself: an unknown one is an error, and so is a second one of a kind (KMIP 1.4 section 11.1).
import { ENUM } from '../ttlv/enumeration.ts';
import { tagName } from '../ttlv/names.ts';
import { type Node, type Structure, TYPE } from '../ttlv/node.ts';
import { TAG, type TagName } from '../ttlv/tag.ts';
import { type PayloadMembers, payloadMembers, requireMembers } from './payload-members.ts';

const named = (table: Readonly<Partial<Record<TagName, PayloadMembers>>>): ReadonlyMap<number, PayloadMembers> =>
  new Map(Object.entries(table).map(([name, members]) => [TAG[name as TagName], members as PayloadMembers]));

const MASKS = payloadMembers([], ['ProtectionStorageMask']);
const KEY = payloadMembers(['KeyBlock']);
const KEY_INFORMATION = payloadMembers(['UniqueIdentifier', 'CryptographicParameters']);

/** Managed objects, and what they consist of (2.1 sections 2 and 3). */
const OF_OBJECTS = named({
  Certificate: payloadMembers(['CertificateType', 'CertificateValue']),
  CertificateRequest: payloadMembers(['CertificateRequestType', 'CertificateRequestValue']),
  OpaqueObject: payloadMembers(['OpaqueDataType', 'OpaqueDataValue']),
  PGPKey: payloadMembers(['PGPKeyVersion', 'KeyBlock']),
  PrivateKey: KEY,
  PublicKey: KEY,
  SymmetricKey: KEY,
  SecretData: payloadMembers(['SecretDataType', 'KeyBlock']),
  SplitKey: payloadMembers(['SplitKeyParts', 'KeyPartIdentifier', 'SplitKeyThreshold', 'SplitKeyMethod', 'PrimeFieldSize', 'KeyBlock']),
  Template: payloadMembers(['Attributes']),
  KeyBlock: payloadMembers(['KeyFormatType', 'KeyCompressionType', 'KeyValue', 'CryptographicAlgorithm', 'CryptographicLength', 'KeyWrappingData']),
  KeyValue: payloadMembers(['KeyMaterial', 'Attributes']),
  KeyWrappingData: payloadMembers([
    ...(['WrappingMethod', 'EncryptionKeyInformation', 'MACSignatureKeyInformation', 'MACSignature', 'IVCounterNonce', 'EncodingOption'] as const),
  ]),
  EncryptionKeyInformation: KEY_INFORMATION,
  MACSignatureKeyInformation: KEY_INFORMATION,
});

/** Attributes that are structures (2.1 section 4, 1.4 section 3). */
const OF_ATTRIBUTES = named({
  AlternativeName: payloadMembers(['AlternativeNameValue', 'AlternativeNameType']),
  ApplicationSpecificInformation: payloadMembers(['ApplicationNamespace', 'ApplicationData']),
  Attribute: payloadMembers(['VendorIdentification', 'AttributeName', 'AttributeIndex', 'AttributeValue']),
  CertificateIdentifier: payloadMembers(['Issuer', 'SerialNumber']),
  CertificateIssuer: payloadMembers(['CertificateIssuerDistinguishedName'], ['CertificateIssuerAlternativeName']),
  CertificateSubject: payloadMembers(['CertificateSubjectDistinguishedName'], ['CertificateSubjectAlternativeName']),
  CryptographicDomainParameters: payloadMembers(['Qlength', 'RecommendedCurve']),
  // Vendor attributes there are an extension of this server: the alphabet of FF1.
  CryptographicParameters: payloadMembers(
    [
      ...(['BlockCipherMode', 'PaddingMethod', 'HashingAlgorithm', 'KeyRoleType', 'DigitalSignatureAlgorithm', 'CryptographicAlgorithm'] as const),
      ...(['RandomIV', 'IVLength', 'TagLength', 'FixedFieldLength', 'InvocationFieldLength', 'CounterLength', 'InitialCounterValue'] as const),
      ...(['KEMAlgorithm', 'SaltLength', 'MaskGenerator', 'MaskGeneratorHashingAlgorithm', 'PSource', 'TrailerField'] as const),
    ],
    ['Attribute'],
  ),
  DeactivationReason: payloadMembers(['DeactivationReasonCode', 'DeactivationMessage']),
  Digest: payloadMembers(['HashingAlgorithm', 'DigestValue', 'KeyFormatType']),
  KeyValueLocation: payloadMembers(['KeyValueLocationValue', 'KeyValueLocationType']),
  Link: payloadMembers(['LinkType', 'LinkedObjectIdentifier']),
  Name: payloadMembers(['NameValue', 'NameType']),
  RandomNumberGenerator: payloadMembers([
    ...(['RNGAlgorithm', 'CryptographicAlgorithm', 'CryptographicLength', 'HashingAlgorithm', 'DRBGAlgorithm', 'RecommendedCurve'] as const),
    ...(['FIPS186Variation', 'PredictionResistance'] as const),
  ]),
  RevocationReason: payloadMembers(['RevocationReasonCode', 'RevocationMessage']),
  RotateName: payloadMembers(['RotateNameValue', 'RotateNameType']),
  UsageLimits: payloadMembers(['UsageLimitsTotal', 'UsageLimitsCount', 'UsageLimitsUnit']),
  X_509CertificateIdentifier: payloadMembers(['IssuerDistinguishedName', 'CertificateSerialNumber']),
  X_509CertificateIssuer: payloadMembers(['IssuerDistinguishedName'], ['IssuerAlternativeName']),
  X_509CertificateSubject: payloadMembers(['SubjectDistinguishedName'], ['SubjectAlternativeName']),
});

/** What operations take besides (2.1 sections 5 and 7). Some clients give the hash of a derivation beside the parameters. */
const OF_OPERATIONS = named({
  AsynchronousCorrelationValues: payloadMembers([], ['AsynchronousCorrelationValue']),
  Operations: payloadMembers([], ['Operation']),
  AttributeReference: payloadMembers(['VendorIdentification', 'AttributeName']),
  CommonProtectionStorageMasks: MASKS,
  Constraint: payloadMembers(['ObjectTypes', 'ObjectGroups', 'Attributes']),
  Constraints: payloadMembers([], ['Constraint']),
  DefaultsInformation: payloadMembers([], ['ObjectDefaults']),
  ObjectDefaults: payloadMembers(['ObjectType', 'ObjectTypes', 'ObjectGroups', 'Attributes']),
  ObjectGroups: payloadMembers([], ['ObjectGroup']),
  ObjectTypes: payloadMembers([], ['ObjectType']),
  Objects: payloadMembers([], ['UniqueIdentifier']),
  Right: payloadMembers(['UsageLimits', 'Operations', 'Objects', 'ObjectGroups']),
  Rights: payloadMembers([], ['Right']),
  Ticket: payloadMembers(['TicketType', 'TicketValue']),
  PrivateProtectionStorageMasks: MASKS,
  ProtectionStorageMasks: MASKS,
  PublicProtectionStorageMasks: MASKS,
  DerivationParameters: payloadMembers(['CryptographicParameters', 'InitializationVector', 'Salt', 'IterationCount', 'HashingAlgorithm'], ['DerivationData']),
  KeyWrappingSpecification: payloadMembers(['WrappingMethod', 'EncryptionKeyInformation', 'MACSignatureKeyInformation', 'EncodingOption'], ['AttributeName']),
  ProtocolVersion: payloadMembers(['ProtocolVersionMajor', 'ProtocolVersionMinor']),
});

const MEMBERS: ReadonlyMap<number, PayloadMembers> = new Map([...OF_OBJECTS, ...OF_ATTRIBUTES, ...OF_OPERATIONS]);

type Format = keyof typeof ENUM.KeyFormatType;

const curve = { PrivateKey: payloadMembers(['RecommendedCurve', 'D']), PublicKey: payloadMembers(['RecommendedCurve', 'QString']) };

/** KeyMaterial, whose members depend on the format (2.1 sections 3.4 to 3.12). */
const MATERIAL: ReadonlyMap<number, PayloadMembers> = new Map(
  Object.entries({
    TransparentSymmetricKey: payloadMembers(['Key']),
    TransparentDSAPrivateKey: payloadMembers(['P', 'Q', 'G', 'X']),
    TransparentDSAPublicKey: payloadMembers(['P', 'Q', 'G', 'Y']),
    TransparentDHPrivateKey: payloadMembers(['P', 'Q', 'G', 'J', 'X']),
    TransparentDHPublicKey: payloadMembers(['P', 'Q', 'G', 'J', 'Y']),
    TransparentRSAPrivateKey: payloadMembers([
      ...(['Modulus', 'PrivateExponent', 'PublicExponent', 'P', 'Q', 'PrimeExponentP', 'PrimeExponentQ', 'CRTCoefficient'] as const),
    ]),
    TransparentRSAPublicKey: payloadMembers(['Modulus', 'PublicExponent']),
    TransparentECPrivateKey: curve.PrivateKey,
    TransparentECPublicKey: curve.PublicKey,
    TransparentECDSAPrivateKey: curve.PrivateKey,
    TransparentECDSAPublicKey: curve.PublicKey,
    TransparentECDHPrivateKey: curve.PrivateKey,
    TransparentECDHPublicKey: curve.PublicKey,
    TransparentECMQVPrivateKey: curve.PrivateKey,
    TransparentECMQVPublicKey: curve.PublicKey,
  } satisfies Partial<Record<Format, PayloadMembers>>).map(([format, members]) => [ENUM.KeyFormatType[format as Format], members]),
);

/**
 * Structures that hold attributes, and the values of vendor attributes, may hold anything here: other checks know attributes, and vendors their values.
 * @param nodes members of a payload, in the form of 2.1
 * @param format the KeyFormatType of the KeyBlock that they are in
 * @throws Refusal InvalidField
 */
export function checkStructures(nodes: readonly Node[], format?: Node): void {
  for (const node of nodes) if (node.type === TYPE.Structure) checkOne(node, format);
}

function checkOne(node: Structure, format: Node | undefined): void {
  if (node.tag === TAG.AttributeValue) return;
  const members = node.tag === TAG.KeyMaterial ? MATERIAL.get(format?.value as number) : MEMBERS.get(node.tag);
  if (members) requireMembers(tagName(node.tag), members, node);
  checkStructures(node.value, node.tag === TAG.KeyBlock ? node.value.find(({ tag }) => tag === TAG.KeyFormatType) : format);
}
