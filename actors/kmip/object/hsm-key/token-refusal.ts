// What a client is told of a call that a token, or the HSM actor before it, has not done.
import type { CryptoError } from '../../../../crypto/crypto-error.ts';
import { refusalOf as refusalIn } from '../../../../kmip/crypto-refusal.ts';
import { Refusal, type ResultReason, Unavailable } from '../../../../kmip/refusal.ts';
import type { HsmFailure, SlotPlace } from '../../../hsm/api.ts';
import { OF_DEVICE, REASON } from './return-values.ts';

export const lacksMechanism = (mechanism: string): Refusal => new Refusal('UnsupportedCryptographicParameters', `the token has no mechanism ${mechanism}`);

/** @param text what it gave */
export const malformed = (text: string): Refusal => new Unavailable('GeneralFailure', `the token or its library is broken: ${text}`);

/** @param what was asked of the token: a mechanism, or an act */
export function refusalOf({ why, text }: HsmFailure, { prefix, slot }: SlotPlace, what: string): Refusal {
  if (why === 'absent') return new Refusal('ItemNotFound', text);
  if (why === 'ambiguous') return new Refusal('InvalidField', text);
  if (why === 'exists') return new Refusal('ObjectAlreadyExists', text);
  if (why === 'mechanism') return lacksMechanism(text);
  if (why === 'ended') return new Refusal('InvalidCorrelationValue', text);
  if (why === 'full') return new Refusal('ServerLimitExceeded', text);
  if (why === 'input') return new Refusal('InvalidField', text);
  if (why === 'unavailable') return new Unavailable('GeneralFailure', `slot ${slot} of ${prefix} is not accessible: ${text}`);
  if (why === 'malformed') return malformed(text);
  if (why === 'pin') return new Refusal('UnsupportedCryptographicParameters', text);
  const ofDevice = OF_DEVICE[text];
  if (ofDevice) return new Unavailable(ofDevice, `the token refuses ${what}: ${text}`);
  return new RefusedByToken(REASON[text] ?? 'CryptographicFailure', `the token refuses ${what}: ${text}`, text);
}

/** The token was asked, for a caller who may use the key, and has refused. */
export class RefusedByToken extends Refusal {
  readonly returnValue: string;

  constructor(reason: ResultReason, message: string, returnValue: string) {
    super(reason, message);
    this.returnValue = returnValue;
  }
}

/** What libraries return for data that do not decrypt, whatever is wrong with them: each has its own habit. */
const UNDECRYPTED: ReadonlySet<string> = new Set([
  ...['CKR_GENERAL_ERROR', 'CKR_FUNCTION_FAILED', 'CKR_DATA_INVALID', 'CKR_DATA_LEN_RANGE', 'CKR_ENCRYPTED_DATA_INVALID', 'CKR_ENCRYPTED_DATA_LEN_RANGE'],
  ...['CKR_AEAD_DECRYPT_FAILED', 'CKR_SIGNATURE_INVALID', 'CKR_WRAPPED_KEY_INVALID', 'CKR_WRAPPED_KEY_LEN_RANGE'],
]);

const isUndecrypted = (returnValue: string): boolean => UNDECRYPTED.has(returnValue);

/** Of RSA without padding, which takes each number that is less than the modulus. NSS says of others that the arguments are bad. */
export const isNoResidue = (returnValue: string): boolean => returnValue === 'CKR_ARGUMENTS_BAD' || isUndecrypted(returnValue);

/** Why a token has not done it, and would not the next time either. */
const NOT_THERE: ReadonlySet<ResultReason> = new Set(['UnsupportedCryptographicParameters', 'InvalidObjectType', 'IncompatibleCryptographicUsageMask']);

export const isNotThere = (error: unknown): boolean => NOT_THERE.has(refusalIn(error)?.reason as ResultReason);

/** @param failed what keys in software say of such data @param isOne of the return values for them @throws what the token refuses for another reason */
export async function decrypting<T>(work: Promise<T>, failed: (cause: unknown) => CryptoError, isOne = isUndecrypted): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof RefusedByToken && isOne(error.returnValue) ? failed(error) : error;
  }
}
