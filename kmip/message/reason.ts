// The result reason of a refusal as the version of the client has it, by the tables of errors of that version.
import type { OperationName } from '../operation-name.ts';
import type { ResultReason } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { enumerationValueExists } from '../ttlv/since.ts';
import type { Version } from '../version.ts';

type Reasons = Readonly<Partial<Record<ResultReason, ResultReason>>>;

/** What older versions have no code for, they are told by what their own tables of errors have for the case (specification 1.4 section 11). */
const OLDER: Reasons = {
  AttributeInstanceNotFound: 'ItemNotFound',
  AttributeNotFound: 'ItemNotFound',
  AttributeReadOnly: 'PermissionDenied',
  AttributeSingleValued: 'IllegalOperation',
  BadPassword: 'InvalidField',
  BadCryptographicParameters: 'InvalidField',
  EncodingOptionError: 'InvalidField',
  IllegalObjectType: 'IllegalOperation',
  IncompatibleCryptographicUsageMask: 'PermissionDenied',
  InvalidAttribute: 'InvalidField',
  InvalidAttributeValue: 'InvalidField',
  InvalidCSR: 'InvalidField',
  InvalidCorrelationValue: 'ItemNotFound',
  InvalidDataType: 'InvalidField',
  InvalidObjectType: 'PermissionDenied',
  KeyValueNotPresent: 'IllegalOperation',
  KeyWrapTypeNotSupported: 'FeatureNotSupported',
  MissingInitializationVector: 'CryptographicFailure',
  NonUniqueNameAttribute: 'InvalidField',
  NotExtractable: 'PermissionDenied',
  ObjectAlreadyExists: 'InvalidField',
  // It is there, and cannot be used: not the reason of what is missing.
  ObjectDestroyed: 'PermissionDenied',
  ObjectNotFound: 'ItemNotFound',
  Sensitive: 'PermissionDenied',
  ServerLimitExceeded: 'IndexOutOfBounds',
  UnsupportedCryptographicParameters: 'CryptographicFailure',
  UnsupportedProtocolVersion: 'InvalidMessage',
  UsageLimitExceeded: 'PermissionDenied',
  WrappingObjectArchived: 'ObjectArchived',
  WrappingObjectDestroyed: 'ItemNotFound',
  WrappingObjectNotFound: 'ItemNotFound',
  WrongKeyLifecycleState: 'PermissionDenied',
};

/** Table 338 has IllegalOperation too; the OASIS cases of 1.0 to 1.2 (TC-314) show this. */
const GET: Reasons = { ObjectDestroyed: 'ItemNotFound' };

/** Where the table of one operation has another reason than those of the others. Numbers of tables are those of 1.4. */
const OLDER_OF: Readonly<Partial<Record<OperationName, Reasons>>> = {
  // Table 333: objects of another kind, or that may not be used to derive a key.
  DeriveKey: {
    InvalidObjectType: 'InvalidField',
    IncompatibleCryptographicUsageMask: 'InvalidField',
    ObjectDestroyed: 'InvalidField',
    WrongKeyLifecycleState: 'InvalidField',
  },
  Check: { InvalidObjectType: 'IllegalOperation' },
  Get: GET,
  Export: GET,
  // Table 341.
  AddAttribute: { InvalidAttribute: 'PermissionDenied', NonUniqueNameAttribute: 'IllegalOperation' },
  // Table 342.
  ModifyAttribute: { AttributeNotFound: 'InvalidField', NonUniqueNameAttribute: 'IllegalOperation' },
  // Table 345: no limits, or nothing that is used to protect.
  GetUsageAllocation: {
    AttributeNotFound: 'IllegalOperation',
    IncompatibleCryptographicUsageMask: 'IllegalOperation',
    InvalidObjectType: 'IllegalOperation',
    ObjectDestroyed: 'IllegalOperation',
    WrongKeyLifecycleState: 'IllegalOperation',
  },
  // Tables 346 and 347.
  Activate: { InvalidObjectType: 'IllegalOperation' },
  Revoke: { InvalidObjectType: 'IllegalOperation' },
};

/** @param operation undefined for what is refused before there is one */
export function reasonIn(reason: ResultReason, version: Version, operation?: OperationName): ResultReason {
  const exists = (each: ResultReason) => enumerationValueExists('ResultReason', ENUM.ResultReason[each], version);
  if (exists(reason)) return reason;
  const older = (operation && OLDER_OF[operation]?.[reason]) ?? OLDER[reason];
  return older !== undefined && exists(older) ? older : 'GeneralFailure';
}
