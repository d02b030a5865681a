// Checks the members of a request payload: each operation declares its members, and any other is an error, not ignored (KMIP 2.1 section 6.1).
import type { OperationName } from '../operation-name.ts';
import { Refusal, type ResultReason } from '../refusal.ts';
import { tagName } from '../ttlv/names.ts';
import type { Structure } from '../ttlv/node.ts';
import { TAG, type TagName } from '../ttlv/tag.ts';
import type { Version } from '../version.ts';

/** Tags of the members, in the form of 2.1. */
export interface PayloadMembers {
  /** Allowed once. */
  readonly one: ReadonlySet<number>;
  /** Allowed any number of times. */
  readonly many: ReadonlySet<number>;
}

export function payloadMembers(one: readonly TagName[], many: readonly TagName[] = []): PayloadMembers {
  return { one: new Set(one.map((name) => TAG[name])), many: new Set(many.map((name) => TAG[name])) };
}

/** Members that several operations share. OBJECT identifies an existing object and, by an extension, the type that it must have. */
export const OBJECT = ['UniqueIdentifier', 'ExpectedObjectType'] as const satisfies readonly TagName[];
export const PAIR = [
  'CommonAttributes',
  'PrivateKeyAttributes',
  'PublicKeyAttributes',
  'CommonProtectionStorageMasks',
  'PrivateProtectionStorageMasks',
  'PublicProtectionStorageMasks',
] as const satisfies readonly TagName[];
export const CERTIFICATE_REQUEST = [
  'CertificateRequestUniqueIdentifier',
  'CertificateRequestType',
  'CertificateRequestValue',
] as const satisfies readonly TagName[];
export const CONTENT = [
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
export const PARTS = ['CorrelationValue', 'InitIndicator', 'FinalIndicator'] as const satisfies readonly TagName[];
export const CIPHER = [...OBJECT, 'CryptographicParameters', 'Data', 'IVCounterNonce', 'AuthenticatedEncryptionAdditionalData', ...PARTS] as const;
export const GIVEN_OUT = [...OBJECT, 'KeyFormatType', 'KeyWrapType', 'KeyCompressionType', 'KeyWrappingSpecification'] as const satisfies readonly TagName[];

/**
 * @param payload in the form of 2.1
 * @throws Refusal InvalidField if the operation does not have a member, InvalidMessage if a member is repeated that is allowed only once
 * (specification 1.4 table 327)
 */
export const checkMembers = (operation: OperationName, members: PayloadMembers, payload: Structure): void => requireMembers(operation, members, payload);

/** @param holder the name of what has these members @param reason of a member that it does not have @throws Refusal as `checkMembers` */
export function requireMembers(holder: string, members: PayloadMembers, { value }: Structure, reason: ResultReason = 'InvalidField'): void {
  for (let i = 0; i < value.length; i++) {
    const tag = value[i]?.tag as number;
    if (members.many.has(tag)) continue;
    if (!members.one.has(tag)) throw new Refusal(reason, `${holder} has no field ${tagName(tag)}: leave it out`);
    for (let before = 0; before < i; before++)
      if (value[before]?.tag === tag) throw new Refusal('InvalidMessage', `${holder} takes only one ${tagName(tag)}, but this request has several`);
  }
}

/** The reason for a field that the version does not have: 1.4 table 327, and in 2.x `the invalid use of a known tag` (2.1 section 11.46). */
export const unknownField = ({ major }: Version): ResultReason => (major === 1 ? 'InvalidField' : 'InvalidMessage');
