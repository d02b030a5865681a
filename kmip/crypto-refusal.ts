// Translates errors of cryptographic algorithms into KMIP refusals.
import { CryptoError, type CryptoErrorCode } from '../crypto/crypto-error.ts';
import { Refusal, type ResultReason } from './refusal.ts';

const REASONS: Readonly<Record<CryptoErrorCode, ResultReason>> = {
  invalid: 'InvalidField',
  unsupported: 'UnsupportedCryptographicParameters',
  bad_parameters: 'BadCryptographicParameters',
  failed: 'CryptographicFailure',
  // The OASIS test cases CS-BC-M-GCM-1 and CS-BC-M-CHACHA20POLY1305-1 expect this reason.
  bad_tag_length: 'GeneralFailure',
  missing_data: 'MissingData',
  missing_iv: 'MissingInitializationVector',
  wrong_key: 'InvalidObjectType',
  unknown_key_type: 'KeyFormatTypeNotSupported',
  unsupported_derivation: 'FeatureNotSupported',
  unsupported_wrapping: 'KeyWrapTypeNotSupported',
  bad_certificate_request: 'InvalidCSR',
  too_large: 'ServerLimitExceeded',
  switched_off: 'CryptographicFailure',
};

/** The refusal for an error of the protocol or of an algorithm. @returns undefined for any other error, because the request did not cause it */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  return error instanceof CryptoError ? new Refusal(REASONS[error.code], error.message, error) : undefined;
}
