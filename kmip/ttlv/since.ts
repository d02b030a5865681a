// Which tags, operations and enumeration values each version of KMIP has, by the tables of the eight specifications (3.0 is a committee draft: that of May 2026).
import { ENUM, type EnumName } from './enumeration.ts';
import { MASK } from './mask.ts';
import { TAG, type TagName } from './tag.ts';

export interface ProtocolVersion {
  readonly major: number;
  readonly minor: number;
}

/** The first new code of each version. Codes were always assigned in order; those below the first one listed belong to 1.0. */
type Starts = { readonly [V in '1.1' | '1.2' | '1.3' | '1.4' | '2.0' | '2.1' | '3.0']?: number };

const TAG_STARTS: Starts = { '1.1': 0x4200a2, '1.2': 0x4200b8, '1.3': 0x4200d4, '1.4': 0x4200f8, '2.0': 0x420125, '2.1': 0x420166, '3.0': 0x420190 };

/** Enumerations that grew after 1.0. The post-quantum algorithms, which 3.0 has, count as part of 2.1: its clients use them too. */
const VALUE_STARTS: { readonly [E in EnumName]?: Starts } = {
  AdjustmentType: { '2.0': 0x1 },
  AlternativeNameType: { '1.2': 0x1 },
  AsynchronousIndicator: { '2.0': 0x1 },
  AttestationType: { '1.2': 0x1 },
  BlockCipherMode: { '1.4': 0x12 },
  ClientRegistrationMethod: { '1.3': 0x1 },
  CredentialType: { '1.1': 0x2, '1.2': 0x3, '2.0': 0x4, '3.0': 0x7 },
  CryptographicAlgorithm: { '1.2': 0x1a, '1.3': 0x1b, '1.4': 0x1c, '2.0': 0x29, '2.1': 0x39, '3.0': 0x5a },
  DRBGAlgorithm: { '1.3': 0x1 },
  Data: { '2.0': 0x1 },
  DeactivationReasonCode: { '3.0': 0x1 },
  DerivationMethod: { '1.4': 0x8, '2.0': 0x9 },
  DestroyAction: { '1.3': 0x1 },
  DigitalSignatureAlgorithm: { '1.1': 0x1, '1.4': 0x11 },
  EncodingOption: { '1.1': 0x1 },
  EndpointRole: { '2.0': 0x1 },
  Ephemeral: { '3.0': 0x1 },
  FIPS186Variation: { '1.3': 0x1 },
  HashingAlgorithm: { '1.2': 0xc, '1.4': 0xe },
  InteropFunction: { '2.0': 0x1 },
  ItemType: { '2.0': 0x1, '3.0': 0xc },
  KEMAlgorithm: { '3.0': 0x1 },
  KeyFormatType: { '1.3': 0x14, '1.4': 0x16, '2.0': 0x17, '3.0': 0x18 },
  KeyRoleType: { '1.4': 0x16 },
  KeyValueLocationType: { '1.2': 0x1 },
  KeyWrapType: { '1.4': 0x1 },
  LinkType: { '1.2': 0x108, '1.4': 0x10c, '2.0': 0x10e },
  MaskGenerator: { '1.4': 0x1 },
  NISTKeyType: { '2.0': 0x1 },
  OTPAlgorithm: { '3.0': 0x1 },
  ObjectClass: { '3.0': 0x1 },
  ObjectGroupMember: { '1.1': 0x1 },
  ObjectType: { '1.2': 0x9, '2.0': 0xa, '3.0': 0xb },
  Operation: { '1.1': 0x1d, '1.2': 0x1f, '1.4': 0x2a, '2.0': 0x2c, '2.1': 0x36, '3.0': 0x3c },
  PKCS_11Function: { '2.0': 0x1 },
  PKCS_11ReturnCode: { '2.0': 0x0 },
  ProcessingStage: { '2.1': 0x1 },
  ProfileName: { '2.0': 0x104 },
  ProtectionLevel: { '2.0': 0x1 },
  QueryFunction: { '1.1': 0x5, '1.2': 0x7, '1.3': 0x8, '2.0': 0xd, '3.0': 0xf },
  RNGAlgorithm: { '1.3': 0x1 },
  RNGMode: { '1.3': 0x1 },
  RecommendedCurve: { '1.2': 0x10, '2.0': 0x45 },
  ResultReason: { '1.1': 0x12, '1.2': 0x13, '1.4': 0x16, '2.0': 0x19, '2.1': 0x4a, '3.0': 0x4d },
  RotateNameType: { '2.1': 0x1 },
  ShreddingAlgorithm: { '1.3': 0x1 },
  SplitKeyMethod: { '1.2': 0x4 },
  SplitKeyPolynomial: { '3.0': 0x1 },
  TicketType: { '2.0': 0x1 },
  UniqueIdentifier: { '2.0': 0x1, '3.0': 0x12 },
  UnwrapMode: { '1.3': 0x1 },
  ValidationAuthorityType: { '1.3': 0x1 },
  ValidationType: { '1.3': 0x1 },
};

/** Tags that 2.0 reserves; earlier versions have them, deprecated or not. Those that 3.0 reserves are read all the same, and not written (`third-version.ts`). */
const TAG_GONE_IN_2: readonly TagName[] = [
  'AttributeIndex',
  'CertificateIdentifier',
  'CertificateIssuer',
  'CertificateIssuerAlternativeName',
  'CertificateIssuerDistinguishedName',
  'CertificateSubject',
  'CertificateSubjectAlternativeName',
  'CertificateSubjectDistinguishedName',
  'CommonTemplateAttribute',
  'CustomAttribute',
  'Issuer',
  'OperationPolicyName',
  'PrivateKeyTemplateAttribute',
  'PublicKeyTemplateAttribute',
  'SerialNumber',
  'Template',
  'TemplateAttribute',
];

/** Values that 2.0 reserves, like `TAG_GONE_IN_2`. */
const VALUE_GONE_IN_2: { readonly [E in EnumName]?: readonly (keyof (typeof ENUM)[E])[] } = {
  CertificateRequestType: ['PGP'],
  KeyFormatType: [
    'TransparentECDSAPrivateKey',
    'TransparentECDSAPublicKey',
    'TransparentECDHPrivateKey',
    'TransparentECDHPublicKey',
    'TransparentECMQVPrivateKey',
    'TransparentECMQVPublicKey',
  ],
  ObjectType: ['Template'],
  ResultReason: ['IllegalOperation', 'IndexOutOfBounds'],
};

/** The only value that is older than values with lower codes. */
const GENERAL_FAILURE = ENUM.ResultReason.GeneralFailure;

const SECOND = rank(2, 0);
/** Extensions have tags 54xxxx and values from 0x80000000. They belong to no version. */
const FIRST_EXTENSION_TAG = 0x540000;
const FIRST_EXTENSION_VALUE = 0x8000_0000;

/** A number that orders versions, known or not. */
function rank(major: number, minor: number): number {
  return major * 1000 + minor;
}

/** Sorts from the latest to the earliest. */
const rankStarts = (starts: Starts) =>
  Object.entries(starts)
    .map(([version, code]) => ({ from: rank(...(version.split('.').map(Number) as [number, number])), code }))
    .sort((a, b) => b.code - a.code);

type RankedStart = ReturnType<typeof rankStarts>[number];

function rankOf(starts: readonly RankedStart[], code: number): number {
  for (const start of starts) if (code >= start.code) return start.from;
  return 0;
}

const TAG_RANKS = rankStarts(TAG_STARTS);
const VALUE_RANKS = new Map(Object.entries(VALUE_STARTS).map(([name, starts]) => [name, rankStarts(starts)]));
const GONE_TAGS: ReadonlySet<number> = new Set(TAG_GONE_IN_2.map((name) => TAG[name]));
const GONE_VALUES = new Map(
  Object.entries(VALUE_GONE_IN_2).map(([name, gone]) => [
    name,
    new Set(gone.map((value) => (ENUM as Readonly<Record<string, Readonly<Record<string, number>>>>)[name]?.[value])),
  ]),
);

const { CryptographicUsageMask: USAGE } = MASK;
/** In 1.x these bits are extensions that nobody has defined. 2.x in turn reserves the bits of 1.x that it dropped. */
const USAGE_SINCE_2 = USAGE.Authenticate | USAGE.Unrestricted | USAGE.FPEEncrypt | USAGE.FPEDecrypt;
const USAGE_GONE_IN_2 =
  USAGE.Export |
  USAGE.ContentCommitmentNonRepudiation |
  USAGE.GenerateCryptogram |
  USAGE.ValidateCryptogram |
  USAGE.TranslateEncrypt |
  USAGE.TranslateDecrypt |
  USAGE.TranslateWrap |
  USAGE.TranslateUnwrap;
const USAGE_OF_1 = Object.values(USAGE).reduce((bits, bit) => bits | bit, 0) & ~USAGE_SINCE_2;
const USAGE_OF_2 = Object.values(USAGE).reduce((bits, bit) => bits | bit, 0) & ~USAGE_GONE_IN_2;

/** The bits of CryptographicUsageMask that a version has. */
export function usageBits({ major }: ProtocolVersion): number {
  return major >= 2 ? USAGE_OF_2 : USAGE_OF_1;
}

/** Whether a version has the tag. Extensions belong to every version. */
export function tagExists(tag: number, { major, minor }: ProtocolVersion): boolean {
  if (tag >= FIRST_EXTENSION_TAG) return true;
  const version = rank(major, minor);
  if (version >= SECOND && GONE_TAGS.has(tag)) return false;
  return rankOf(TAG_RANKS, tag) <= version;
}

/** Like `tagExists`, for a code of an enumeration. */
export function enumerationValueExists(enumeration: EnumName, value: number, { major, minor }: ProtocolVersion): boolean {
  if (value >= FIRST_EXTENSION_VALUE || (enumeration === 'ResultReason' && value === GENERAL_FAILURE)) return true;
  const version = rank(major, minor);
  if (version >= SECOND && GONE_VALUES.get(enumeration)?.has(value)) return false;
  return rankOf(VALUE_RANKS.get(enumeration) ?? [], value) <= version;
}

export function operationExists(code: number, version: ProtocolVersion): boolean {
  return enumerationValueExists('Operation', code, version);
}
