// The error of all algorithms: a code from a fixed list, and a message that clients may see.

/** Why an operation failed. Each protocol translates these codes into its own. */
export type CryptoErrorCode =
  /** A wrong value: for example a length, a format, or a key that contradicts itself. */
  | 'invalid'
  /** An algorithm, mode or curve that is not supported, or not for this purpose. */
  | 'unsupported'
  /** Parameters that contradict the key or each other. */
  | 'bad_parameters'
  /** The data to decrypt or verify belongs to another key, or was changed; a derivation does not yield as much as is asked for. */
  | 'failed'
  /** An authentication tag whose length the mode does not allow. */
  | 'bad_tag_length'
  | 'missing_data'
  | 'missing_iv'
  /** A public key, although the operation needs a private key. */
  | 'wrong_key'
  | 'unknown_key_type'
  | 'unsupported_derivation'
  | 'unsupported_wrapping'
  | 'bad_certificate_request'
  | 'too_large'
  /** The algorithm has failed its self-test: see switched-off.ts. */
  | 'switched_off';

/** `message` is public and must never contain a secret; `cause` is for the log. */
export class CryptoError extends Error {
  readonly code: CryptoErrorCode;

  constructor(code: CryptoErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CryptoError';
    this.code = code;
  }
}
