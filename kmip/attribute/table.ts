// The attributes of KMIP 1.0 to 3.0, and what a client may do with them (specification 2.1 section 4; for 1.x specification 1.4 section 3).
import type { ObjectType } from '../object-type.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { TYPE } from '../ttlv/node.ts';
import { TAG, type TagName } from '../ttlv/tag.ts';

export type ItemType = (typeof TYPE)[keyof typeof TYPE];

/**
 * What a client may do with an attribute. Each right includes those before it: nothing; set it when it creates the object;
 * add it if the object does not have it; change it; delete it.
 */
export type ClientRight = 'none' | 'create' | 'add' | 'modify' | 'delete';

export interface AttributeRule {
  readonly type: ItemType;
  /** The first version in which this is an attribute; the tag may be older. */
  readonly since: string;
  /** Gone in KMIP 2.0. */
  readonly gone?: true;
  readonly client: ClientRight;
  /** Not an attribute of the specification: it says how to create an object, and is not stored with it. */
  readonly wish?: true;
  readonly multiple?: true;
  /** Object types that may have the attribute; by default all. */
  readonly only?: readonly ObjectType[];
  /** Members that the structure must have. */
  readonly members?: readonly TagName[];
}

const { Structure, Integer, Enumeration, TextString, ByteString, DateTime, Interval } = TYPE;
const { Certificate, PGPKey, OpaqueObject, PrivateKey, PublicKey, SecretData } = ENUM.ObjectType;

const text = (since: string, client: ClientRight): AttributeRule => ({ type: TextString, since, client });
const date = (since: string, client: ClientRight): AttributeRule => ({ type: DateTime, since, client });
const flag = (since: string, client: ClientRight): AttributeRule => ({ type: TYPE.Boolean, since, client });
const code = (since: string, client: ClientRight): AttributeRule => ({ type: Enumeration, since, client });
const members = (since: string, client: ClientRight, ...names: readonly TagName[]): AttributeRule => ({ type: Structure, since, client, members: names });
const several = (rule: AttributeRule): AttributeRule => ({ ...rule, multiple: true });
const only = (types: readonly ObjectType[], rule: AttributeRule): AttributeRule => ({ ...rule, only: types });
const gone = (rule: AttributeRule): AttributeRule => ({ ...rule, gone: true });
const wish = (rule: AttributeRule): AttributeRule => ({ ...rule, wish: true });
/** 1.4 has their tags (section 9.1.3.1), and its test cases TC-CERTATTR-1 and TC-ECC-3 show them as attributes. */
const certificateText = several(only([Certificate], text('1.4', 'none')));

const ofOneParty = ['CN', 'O', 'OU', 'Email', 'C', 'ST', 'L', 'UID', 'SerialNumber', 'Title', 'DC', 'DNQualifier'] as const;
const distinguishedNames = Object.fromEntries(
  (['CertificateSubject', 'CertificateIssuer'] as const).flatMap((party) => ofOneParty.map((part) => [`${party}${part}` satisfies TagName, certificateText])),
);

/** In the order of the response to GetAttributes. Clients may change rotation attributes, because otherwise they could not end the rotation of a key. */
const RULES: Readonly<Partial<Record<TagName, AttributeRule>>> = {
  UniqueIdentifier: text('1.0', 'create'),
  ShortUniqueIdentifier: { type: ByteString, since: '2.0', client: 'none' },
  ObjectType: code('1.0', 'create'),
  ObjectClass: code('3.0', 'none'),
  Name: several(members('1.0', 'delete', 'NameValue', 'NameType')),
  CryptographicAlgorithm: code('1.0', 'create'),
  CryptographicLength: { type: Integer, since: '1.0', client: 'create' },
  CryptographicParameters: several(members('1.0', 'delete')),
  CryptographicDomainParameters: only([PrivateKey, PublicKey], members('1.0', 'create')),
  CryptographicUsageMask: { type: Integer, since: '1.0', client: 'add' },
  CertificateType: only([Certificate], code('1.0', 'create')),
  CertificateLength: only([Certificate], { type: Integer, since: '1.1', client: 'none' }),
  X_509CertificateIdentifier: only([Certificate], members('1.1', 'none')),
  X_509CertificateSubject: only([Certificate], members('1.1', 'none')),
  X_509CertificateIssuer: only([Certificate], members('1.1', 'none')),
  CertificateIdentifier: gone(only([Certificate], members('1.0', 'none'))),
  CertificateSubject: gone(only([Certificate], members('1.0', 'none'))),
  CertificateIssuer: gone(only([Certificate], members('1.0', 'none'))),
  ...distinguishedNames,
  DigitalSignatureAlgorithm: several(only([Certificate, PGPKey], code('1.1', 'none'))),
  Digest: several(members('1.0', 'none', 'HashingAlgorithm')),
  OperationPolicyName: gone(text('1.0', 'add')),
  LeaseTime: { type: Interval, since: '1.0', client: 'none' },
  UsageLimits: members('1.0', 'delete', 'UsageLimitsTotal'),
  State: code('1.0', 'none'),
  InitialDate: date('1.0', 'none'),
  ActivationDate: date('1.0', 'modify'),
  ProcessStartDate: date('1.0', 'modify'),
  ProtectStopDate: date('1.0', 'modify'),
  DeactivationDate: date('1.0', 'modify'),
  DestroyDate: date('1.0', 'none'),
  CompromiseOccurrenceDate: date('1.0', 'none'),
  CompromiseDate: date('1.0', 'none'),
  RevocationReason: members('1.0', 'none', 'RevocationReasonCode'),
  DeactivationReason: members('3.0', 'none', 'DeactivationReasonCode'),
  ArchiveDate: date('1.0', 'none'),
  ObjectGroup: several(text('1.0', 'delete')),
  Fresh: flag('1.1', 'create'),
  Link: several(members('1.0', 'delete', 'LinkType', 'LinkedObjectIdentifier')),
  ApplicationSpecificInformation: several(members('1.0', 'delete', 'ApplicationNamespace')),
  ContactInformation: text('1.0', 'delete'),
  LastChangeDate: date('1.0', 'none'),
  AlternativeName: several(members('1.2', 'delete', 'AlternativeNameValue', 'AlternativeNameType')),
  KeyValuePresent: flag('1.2', 'none'),
  KeyValueLocation: several(members('1.2', 'delete', 'KeyValueLocationValue', 'KeyValueLocationType')),
  OriginalCreationDate: date('1.2', 'add'),
  RandomNumberGenerator: members('1.3', 'add', 'RNGAlgorithm'),
  PKCS_12FriendlyName: text('1.4', 'delete'),
  Description: text('1.4', 'delete'),
  Comment: text('1.4', 'delete'),
  Sensitive: flag('1.4', 'modify'),
  AlwaysSensitive: flag('1.4', 'none'),
  Extractable: flag('1.4', 'modify'),
  NeverExtractable: flag('1.4', 'none'),
  KeyFormatType: code('2.0', 'create'),
  NISTKeyType: several(code('2.0', 'add')),
  OpaqueDataType: only([OpaqueObject], code('2.0', 'create')),
  ProtectionLevel: code('2.0', 'delete'),
  ProtectionPeriod: { type: Interval, since: '2.0', client: 'delete' },
  ProtectionStorageMask: { type: Integer, since: '2.0', client: 'none' },
  QuantumSafe: flag('2.0', 'delete'),
  RotateAutomatic: flag('2.1', 'modify'),
  RotateDate: date('2.1', 'none'),
  RotateGeneration: { type: Integer, since: '2.1', client: 'none' },
  RotateInterval: { type: Interval, since: '2.1', client: 'modify' },
  RotateLatest: flag('2.1', 'none'),
  RotateName: members('2.1', 'delete', 'RotateNameValue', 'RotateNameType'),
  RotateOffset: { type: Interval, since: '2.1', client: 'modify' },
  Attribute: several(members('2.0', 'delete', 'VendorIdentification', 'AttributeName', 'AttributeValue')),
  SecretDataType: wish(only([SecretData], code('2.0', 'create'))),
  CertificateAttributes: wish(only([Certificate, PublicKey, PrivateKey], members('2.0', 'create'))),
};

export const ATTRIBUTES: ReadonlyMap<number, AttributeRule> = new Map(
  Object.entries(RULES).map(([name, rule]) => [TAG[name as TagName], rule as AttributeRule]),
);

/** The types that members must have if they are present in a structure. */
const MEMBERS: Readonly<Partial<Record<TagName, ItemType>>> = {
  NameValue: TextString,
  NameType: Enumeration,
  LinkType: Enumeration,
  LinkedObjectIdentifier: TextString,
  ApplicationNamespace: TextString,
  ApplicationData: TextString,
  AlternativeNameValue: TextString,
  AlternativeNameType: Enumeration,
  KeyValueLocationValue: TextString,
  KeyValueLocationType: Enumeration,
  RNGAlgorithm: Enumeration,
  RotateNameValue: TextString,
  RotateNameType: Enumeration,
  UsageLimitsTotal: TYPE.LongInteger,
  UsageLimitsCount: TYPE.LongInteger,
  UsageLimitsUnit: Enumeration,
  DigestValue: ByteString,
  KeyFormatType: Enumeration,
  RevocationReasonCode: Enumeration,
  RevocationMessage: TextString,
  DeactivationReasonCode: Enumeration,
  DeactivationMessage: TextString,
  VendorIdentification: TextString,
  AttributeName: TextString,
  RecommendedCurve: Enumeration,
  Qlength: Integer,
  BlockCipherMode: Enumeration,
  PaddingMethod: Enumeration,
  HashingAlgorithm: Enumeration,
  KeyRoleType: Enumeration,
  DigitalSignatureAlgorithm: Enumeration,
  CryptographicAlgorithm: Enumeration,
  RandomIV: TYPE.Boolean,
  KEMAlgorithm: Enumeration,
  MaskGenerator: Enumeration,
  MaskGeneratorHashingAlgorithm: Enumeration,
  PSource: ByteString,
  ...Object.fromEntries(
    (['IVLength', 'TagLength', 'FixedFieldLength', 'InvocationFieldLength', 'CounterLength', 'InitialCounterValue', 'SaltLength', 'TrailerField'] as const).map(
      (name) => [name, Integer],
    ),
  ),
};

export const MEMBER_TYPES: ReadonlyMap<number, ItemType> = new Map(Object.entries(MEMBERS).map(([name, type]) => [TAG[name as TagName], type as ItemType]));
