// What the algorithms refuse with: a code of a closed list, and a sentence that may be shown to whoever asked.

/** Why an algorithm does not do what was asked. A protocol has its own words for each of them. */
export type CryptoErrorCode =
  /** A value that does not fit: a length, a form, a key that contradicts itself. */
  | 'invalid'
  /** An algorithm, mode or curve that is not supported, or not for this purpose. */
  | 'unsupported'
  /** Parameters that do not fit the key or each other. */
  | 'bad_parameters'
  /** The data to decrypt or verify belongs to another key, or was changed. */
  | 'failed'
  /** An authentication tag of a length that the mode does not have. */
  | 'bad_tag_length'
  | 'missing_data'
  | 'missing_iv'
  /** A public key where a private one is needed. */
  | 'wrong_key'
  /** A key of an unknown type. */
  | 'unknown_key_type'
  | 'unsupported_derivation'
  | 'unsupported_wrapping'
  | 'bad_certificate_request'
  | 'too_large';

/** `message` is public and never holds a secret; `cause` is for the log. */
export class CryptoError extends Error {
  readonly code: CryptoErrorCode;

  constructor(code: CryptoErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CryptoError';
    this.code = code;
  }
}
