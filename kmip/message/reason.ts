// Translates a result reason for the KMIP version of the client, by the error tables of that version.
import type { OperationName } from '../operation-name.ts';
import { type ResultReason, spellReason } from '../refusal.ts';
import { ENUM } from '../ttlv/enumeration.ts';
import { enumerationValueExists } from '../ttlv/since.ts';
import type { Version } from '../version.ts';

type Reasons = Readonly<Partial<Record<ResultReason, ResultReason>>>;

/** The reason that the error tables of older versions give for a case for which they lack the newer code (specification 1.4 section 11). */
const OLDER: Reasons = {
  AttributeInstanceNotFound: 'ItemNotFound',
  AttributeNotFound: 'ItemNotFound',
  AttributeReadOnly: 'PermissionDenied',
  AttributeSingleValued: 'InvalidField',
  BadPassword: 'InvalidField',
  BadCryptographicParameters: 'InvalidField',
  ConstraintViolation: 'PermissionDenied',
  EncodingOptionError: 'InvalidField',
  IllegalObjectType: 'IllegalOperation',
  IncompatibleCryptographicUsageMask: 'PermissionDenied',
  InvalidAttribute: 'InvalidField',
  InvalidAttributeValue: 'InvalidField',
  InvalidAsynchronousCorrelationValue: 'ItemNotFound',
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
  // The object still exists but cannot be used, so ItemNotFound would be wrong.
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

/** Table 338 allows IllegalOperation too, but the OASIS test cases of 1.0 to 1.2 (TC-314) expect ItemNotFound. */
const GET: Reasons = { ObjectDestroyed: 'ItemNotFound' };

/** Exceptions: operations whose own table gives a different reason than `OLDER`. Table numbers are those of specification 1.4. */
const OLDER_OF: Readonly<Partial<Record<OperationName, Reasons>>> = {
  // Table 333: objects of the wrong type, or which must not be used to derive a key.
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
  AddAttribute: { AttributeSingleValued: 'IllegalOperation', InvalidAttribute: 'PermissionDenied', NonUniqueNameAttribute: 'IllegalOperation' },
  // Table 342.
  ModifyAttribute: { AttributeNotFound: 'InvalidField', NonUniqueNameAttribute: 'IllegalOperation' },
  // Table 345: the object has no usage limits, or cannot be used to protect data.
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

/** Tables 169, 172 and 324 of 2.1 have another name for it than those of ModifyAttribute, DeleteAttribute and the operations that make objects. */
const READ_ONLY: Reasons = { AttributeReadOnly: 'ReadOnlyAttribute' };
const NEWER_OF: Readonly<Partial<Record<OperationName, Reasons>>> = { AddAttribute: READ_ONLY, AdjustAttribute: READ_ONLY, SetAttribute: READ_ONLY };

/** @param operation undefined if the request was refused before its operation was known */
export function reasonIn(given: ResultReason, version: Version, operation?: OperationName): ResultReason {
  const reason = (version.major > 1 && operation && NEWER_OF[operation]?.[given]) || given;
  const exists = (each: ResultReason) => enumerationValueExists('ResultReason', ENUM.ResultReason[each], version);
  if (exists(reason)) return reason;
  const older = (operation && OLDER_OF[operation]?.[reason]) ?? OLDER[reason];
  return older !== undefined && exists(older) ? older : 'GeneralFailure';
}

/** For output that has no field for it. */
export const spelledReason = (reason: ResultReason | undefined, version: Version, operation: OperationName): string =>
  spellReason(reasonIn(reason ?? 'GeneralFailure', version, operation));
