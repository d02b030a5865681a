// The return values of PKCS#11 as result reasons of KMIP: those of a failed token, and those of what it was asked.
import type { ResultReason } from '../../../../kmip/refusal.ts';

type Reasons = Readonly<Record<string, ResultReason>>;

const all = (reason: ResultReason, ...names: readonly string[]): Reasons => Object.fromEntries(names.map((name) => [`CKR_${name}`, reason]));

/**
 * What only the token, its library or the way to it can be blamed for, whatever was asked. CKR_GENERAL_ERROR and CKR_FUNCTION_FAILED are not among it:
 * libraries also return them for data that do not decrypt.
 */
export const OF_DEVICE: Reasons = {
  ...all('ServerLimitExceeded', 'DEVICE_MEMORY', 'SESSION_COUNT', 'TOKEN_RESOURCE_EXCEEDED'),
  ...all('GeneralFailure', 'HOST_MEMORY', 'DEVICE_ERROR', 'DEVICE_REMOVED', 'TOKEN_NOT_PRESENT', 'TOKEN_NOT_RECOGNIZED', 'SLOT_ID_INVALID'),
  ...all('GeneralFailure', 'CANCEL', 'FUNCTION_CANCELED', 'OPERATION_ACTIVE', 'OPERATION_NOT_INITIALIZED', 'OPERATION_CANCEL_FAILED', 'BUFFER_TOO_SMALL'),
  ...all(
    'GeneralFailure',
    'CANT_LOCK',
    'NEED_TO_CREATE_THREADS',
    'MUTEX_BAD',
    'MUTEX_NOT_LOCKED',
    'LIBRARY_LOAD_FAILED',
    'FIPS_SELF_TEST_FAILED',
    'RANDOM_NO_RNG',
  ),
  // A use of a key after the login: somebody has changed the PIN.
  ...all('GeneralFailure', 'PIN_INCORRECT', 'PIN_INVALID', 'PIN_LEN_RANGE', 'PIN_EXPIRED', 'PIN_LOCKED', 'USER_PIN_NOT_INITIALIZED'),
};

/** What is wrong with that which was asked; all others are a CryptographicFailure. */
export const REASON: Reasons = {
  ...all('UnsupportedCryptographicParameters', 'MECHANISM_INVALID', 'MECHANISM_PARAM_INVALID', 'ARGUMENTS_BAD', 'CURVE_NOT_SUPPORTED', 'DOMAIN_PARAMS_INVALID'),
  ...all('UnsupportedCryptographicParameters', 'FUNCTION_NOT_SUPPORTED', 'KEY_SIZE_RANGE', 'WRAPPING_KEY_SIZE_RANGE', 'UNWRAPPING_KEY_SIZE_RANGE'),
  ...all('InvalidObjectType', 'KEY_TYPE_INCONSISTENT', 'WRAPPING_KEY_TYPE_INCONSISTENT', 'UNWRAPPING_KEY_TYPE_INCONSISTENT'),
  ...all('IncompatibleCryptographicUsageMask', 'KEY_FUNCTION_NOT_PERMITTED'),
  ...all('NotExtractable', 'KEY_UNEXTRACTABLE', 'KEY_NOT_WRAPPABLE'),
  ...all('Sensitive', 'ATTRIBUTE_SENSITIVE', 'INFORMATION_SENSITIVE'),
  ...all('InvalidField', 'DATA_LEN_RANGE', 'DATA_INVALID', 'ATTRIBUTE_VALUE_INVALID', 'TEMPLATE_INCONSISTENT', 'PUBLIC_KEY_INVALID'),
  ...all('PermissionDenied', 'SESSION_READ_ONLY', 'TOKEN_WRITE_PROTECTED', 'ACTION_PROHIBITED', 'FUNCTION_REJECTED'),
  ...all('UsageLimitExceeded', 'KEY_EXHAUSTED'),
};
