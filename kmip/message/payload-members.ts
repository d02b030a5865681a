// Which members the request payload of each operation has: what an operation would not read is refused, not passed over (KMIP 2.1 section 6.1).
import type { OperationName } from '../operation-name.ts';
import { Refusal } from '../refusal.ts';
import { tagName } from '../ttlv/names.ts';
import type { Structure } from '../ttlv/node.ts';
import { TAG, type TagName } from '../ttlv/tag.ts';

interface Members {
  /** Once at most. */
  readonly one: readonly TagName[];
  readonly many?: readonly TagName[];
}

/** An object that exists, and the extension that says of what type it has to be. */
const OBJECT = ['UniqueIdentifier', 'ExpectedObjectType'] as const satisfies readonly TagName[];
const STORAGE = 'ProtectionStorageMasks';
const PAIR = [
  'CommonAttributes',
  'PrivateKeyAttributes',
  'PublicKeyAttributes',
  'CommonProtectionStorageMasks',
  'PrivateProtectionStorageMasks',
  'PublicProtectionStorageMasks',
] as const satisfies readonly TagName[];
const CERTIFICATE_REQUEST = ['CertificateRequestUniqueIdentifier', 'CertificateRequestType', 'CertificateRequestValue'] as const satisfies readonly TagName[];
const CONTENT = [
  'Certificate',
  'SymmetricKey',
  'PublicKey',
  'PrivateKey',
  'SplitKey',
  'Template',
  'SecretData',
  'OpaqueObject',
  'PGPKey',
  'CertificateRequest',
] as const satisfies readonly TagName[];
const PARTS = ['CorrelationValue', 'InitIndicator', 'FinalIndicator'] as const satisfies readonly TagName[];
const CIPHER = [...OBJECT, 'CryptographicParameters', 'Data', 'IVCounterNonce', 'AuthenticatedEncryptionAdditionalData', ...PARTS] as const;
const GIVEN_OUT = [...OBJECT, 'KeyFormatType', 'KeyWrapType', 'KeyCompressionType', 'KeyWrappingSpecification'] as const satisfies readonly TagName[];

const only = (...one: readonly TagName[]): Members => ({ one });

/** In the shape of 2.1; those of operations that are not served are not here. Some clients name the base of a derivation by ObjectUniqueIdentifier. */
export const PAYLOAD_MEMBERS: Readonly<Partial<Record<OperationName, Members>>> = {
  Activate: only(...OBJECT),
  AddAttribute: only(...OBJECT, 'NewAttribute'),
  AdjustAttribute: only(...OBJECT, 'AttributeReference', 'AdjustmentType', 'AdjustmentValue'),
  Archive: only(...OBJECT),
  Certify: only(...OBJECT, ...CERTIFICATE_REQUEST, 'Attributes', STORAGE),
  Check: only(...OBJECT, 'UsageLimitsCount', 'CryptographicUsageMask', 'LeaseTime'),
  Create: only('ObjectType', 'Attributes', STORAGE),
  CreateKeyPair: only(...PAIR),
  CreateSplitKey: only(...OBJECT, 'ObjectType', 'SplitKeyParts', 'SplitKeyThreshold', 'SplitKeyMethod', 'PrimeFieldSize', 'Attributes', STORAGE),
  Decrypt: only(...CIPHER, 'AuthenticatedEncryptionTag'),
  // KMIP 1.x has AttributeIndex, which 2.x has no tag for.
  DeleteAttribute: { one: [...OBJECT, 'CurrentAttribute', 'AttributeIndex'], many: ['AttributeReference'] },
  DeriveKey: {
    one: ['ExpectedObjectType', 'ObjectType', 'DerivationMethod', 'DerivationParameters', 'Attributes'],
    many: ['UniqueIdentifier', 'ObjectUniqueIdentifier'],
  },
  Destroy: only(...OBJECT, 'Cascade', 'Remove'),
  DiscoverVersions: { one: [], many: ['ProtocolVersion'] },
  Encrypt: only(...CIPHER),
  Export: only(...GIVEN_OUT),
  Get: only(...GIVEN_OUT),
  GetAttributeList: only(...OBJECT),
  GetAttributes: { one: OBJECT, many: ['AttributeReference'] },
  GetUsageAllocation: only(...OBJECT, 'UsageLimitsCount'),
  Hash: only('CryptographicParameters', 'Data', ...PARTS),
  Import: only('UniqueIdentifier', 'ObjectType', 'ReplaceExisting', 'KeyWrapType', 'Attributes', ...CONTENT),
  Interop: only('InteropFunction', 'InteropIdentifier'),
  JoinSplitKey: { one: ['ExpectedObjectType', 'ObjectType', 'SecretDataType', 'Attributes', STORAGE], many: ['UniqueIdentifier'] },
  Locate: only('MaximumItems', 'OffsetItems', 'StorageStatusMask', 'ObjectGroupMember', 'Attributes'),
  Log: only('LogMessage'),
  MAC: only(...OBJECT, 'CryptographicParameters', 'Data', ...PARTS),
  MACVerify: only(...OBJECT, 'CryptographicParameters', 'Data', 'MACData', ...PARTS),
  ModifyAttribute: only(...OBJECT, 'CurrentAttribute', 'NewAttribute'),
  ObtainLease: only(...OBJECT),
  PKCS_11: only('PKCS_11Interface', 'PKCS_11Function', 'CorrelationValue', 'PKCS_11InputParameters'),
  Query: { one: ['ObjectGroups'], many: ['QueryFunction'] },
  RNGRetrieve: only('DataLength'),
  RNGSeed: only('Data'),
  ReCertify: only(...OBJECT, ...CERTIFICATE_REQUEST, 'Offset', 'Attributes', STORAGE),
  ReKey: only(...OBJECT, 'Offset', 'Attributes', STORAGE),
  ReKeyKeyPair: only('PrivateKeyUniqueIdentifier', 'ExpectedObjectType', 'Offset', ...PAIR),
  Recover: only(...OBJECT),
  Register: only('ObjectType', 'Attributes', STORAGE, ...CONTENT),
  Revoke: only(...OBJECT, 'RevocationReason', 'CompromiseOccurrenceDate', 'Cascade'),
  SetAttribute: only(...OBJECT, 'NewAttribute'),
  SetEndpointRole: only('EndpointRole'),
  Sign: only(...OBJECT, 'CryptographicParameters', 'Data', 'DigestedData', ...PARTS),
  SignatureVerify: only(...OBJECT, 'CryptographicParameters', 'Data', 'DigestedData', 'SignatureData', ...PARTS),
  Validate: { one: ['ExpectedObjectType', 'ValidityDate'], many: ['Certificate', 'UniqueIdentifier'] },
};

const CODES: ReadonlyMap<string, { readonly one: ReadonlySet<number>; readonly many: ReadonlySet<number> }> = new Map(
  Object.entries(PAYLOAD_MEMBERS).map(([operation, { one, many = [] }]) => [
    operation,
    { one: new Set(one.map((name) => TAG[name])), many: new Set(many.map((name) => TAG[name])) },
  ]),
);

/**
 * @param payload in the shape of 2.1
 * @throws Refusal InvalidField for a member that the operation has not, or has once and was given twice
 */
export function checkMembers(operation: OperationName, { value }: Structure): void {
  const members = CODES.get(operation);
  if (members === undefined) return;
  for (let i = 0; i < value.length; i++) {
    const tag = value[i]?.tag as number;
    if (members.many.has(tag)) continue;
    if (!members.one.has(tag)) throw new Refusal('InvalidField', `${operation} has no field ${tagName(tag)}: leave it out`);
    for (let before = 0; before < i; before++)
      if (value[before]?.tag === tag) throw new Refusal('InvalidField', `${operation} takes one ${tagName(tag)}, this request has several`);
  }
}
