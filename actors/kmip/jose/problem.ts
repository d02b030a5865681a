// Errors of the crypto API: their names, and how they map from the result reasons of KMIP.
import { CryptoError, type CryptoErrorCode } from '../../../crypto/crypto-error.ts';
import { Fault } from '../../../kernel/fault.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import { Refusal, type ResultReason, spellReason, Unavailable } from '../../../kmip/refusal.ts';
import { RefusedByToken } from '../object/hsm-key/token-refusal.ts';

const STATUS = {
  bad_request: 400,
  forbidden: 403,
  not_found: 404,
  unsupported_algorithm: 422,
  crypto_failure: 422,
  decryption_failed: 422,
  algorithm_switched_off: 503,
  hsm_unavailable: 503,
} as const;

type ProblemName = keyof typeof STATUS;

/** A refused call; the client sees `description`. */
export class JoseProblem extends Fault {
  readonly error: ProblemName;
  readonly description: string;

  constructor(error: ProblemName, description: string, cause?: unknown) {
    super('KEYS_REFUSED', { detail: description, cause });
    this.error = error;
    this.description = description;
  }
}

export const badRequest = (description: string, cause?: unknown): JoseProblem => new JoseProblem('bad_request', description, cause);
export const notFound = (): JoseProblem => new JoseProblem('not_found', 'Key not found');
/** For who may use the half that is there. */
export const noOtherHalf = (missing: 'private' | 'public'): JoseProblem =>
  new JoseProblem('not_found', `Key not found: no ${missing} key on this server is linked with this one`);
/** The same text for every reason, so that it reveals nothing about the key or the padding. */
export const decryptionFailed = (): JoseProblem => new JoseProblem('decryption_failed', 'Decryption failed');

const BY_REASON: Partial<Record<ResultReason, ProblemName>> = {
  ItemNotFound: 'not_found',
  ObjectNotFound: 'not_found',
  ObjectDestroyed: 'forbidden',
  PermissionDenied: 'forbidden',
  NotAuthorised: 'forbidden',
  WrongKeyLifecycleState: 'forbidden',
  IncompatibleCryptographicUsageMask: 'forbidden',
  UsageLimitExceeded: 'forbidden',
  ObjectArchived: 'forbidden',
  ReadOnlyAttribute: 'forbidden',
  AttributeReadOnly: 'forbidden',
  ConstraintViolation: 'forbidden',
  InvalidField: 'bad_request',
  InvalidMessage: 'bad_request',
  InvalidAttribute: 'bad_request',
  InvalidAttributeValue: 'bad_request',
  MissingData: 'bad_request',
  ServerLimitExceeded: 'bad_request',
  UnsupportedCryptographicParameters: 'unsupported_algorithm',
  OperationNotSupported: 'unsupported_algorithm',
  FeatureNotSupported: 'unsupported_algorithm',
};

/** For errors of the algorithms themselves. */
const BY_CODE: Readonly<Record<CryptoErrorCode, ProblemName>> = {
  invalid: 'bad_request',
  missing_data: 'bad_request',
  too_large: 'bad_request',
  unsupported: 'unsupported_algorithm',
  unsupported_derivation: 'unsupported_algorithm',
  bad_parameters: 'crypto_failure',
  failed: 'crypto_failure',
  bad_tag_length: 'crypto_failure',
  missing_iv: 'crypto_failure',
  wrong_key: 'crypto_failure',
  unknown_key_type: 'crypto_failure',
  unsupported_wrapping: 'crypto_failure',
  bad_certificate_request: 'crypto_failure',
  switched_off: 'algorithm_switched_off',
};

/**
 * Refusals because of a key's mask, dates, state or limits. A caller gets that far only as the owner of the key or with a grant, and
 * is told the reason. For all others, the key does not seem to exist.
 */
const OF_THE_KEY: ReadonlySet<ResultReason> = new Set([
  'ObjectArchived',
  'ObjectDestroyed',
  'WrongKeyLifecycleState',
  'IncompatibleCryptographicUsageMask',
  'UsageLimitExceeded',
  // Of what the caller itself has set.
  'ConstraintViolation',
] satisfies ResultReason[]);

/** @returns undefined if the error is not a refusal */
function problemOf(error: unknown): JoseProblem | undefined {
  if (error instanceof JoseProblem) return error;
  if (error instanceof CryptoError) return new JoseProblem(BY_CODE[error.code], error.message, error);
  if (!(error instanceof Refusal)) return undefined;
  if (error instanceof Unavailable) return new JoseProblem('hsm_unavailable', error.message, error);
  const name = BY_REASON[error.reason] ?? 'crypto_failure';
  if (name === 'not_found') return notFound();
  if (OF_THE_KEY.has(error.reason)) return new JoseProblem(name, `${spellReason(error.reason)}: ${error.message}`, error);
  const isOfRights = name === 'forbidden' && !(error instanceof RefusedByToken);
  return new JoseProblem(name, isOfRights ? 'Access denied' : error.message, error);
}

/** The answer to a call that failed, and the reason for the log. @throws the error itself if it is not a refusal */
export function refusalAnswer(error: unknown): { status: number; body: unknown; reason: string } {
  const problem = problemOf(error);
  if (!problem) throw error;
  return {
    status: STATUS[problem.error],
    body: { error: problem.error, description: problem.description },
    reason: refusalOf(error)?.reason ?? problem.error,
  };
}
