// What encryption gives, and operations in parts, as they cross to the actor of an HSM and back.
import type { PartInputs } from '../../kmip/part-inputs.ts';
import type { TokenMechanism } from './api.ts';

export interface Sealed {
  readonly data: Uint8Array;
  /** The IV that the token chose in place of the one in the mechanism. */
  readonly iv?: Uint8Array;
}

/** Who may continue an operation in parts, and for what: both must be the same for each part. */
export interface PartOwner {
  readonly user: string;
  /** The operation with its key. */
  readonly use: string;
  /** Of the first part, or what a later one repeats of it. */
  readonly inputs?: PartInputs | undefined;
}

/** An operation in parts. */
export interface PartStart {
  readonly what: 'encrypt' | 'decrypt' | 'sign';
  readonly mechanism: TokenMechanism;
  /** `token`: the token takes part by part; `end`: it signs all of it, or its digest, with the last part. */
  readonly by: 'token' | 'end';
  /** What is signed at the end: `head`, and the first `maxBytes` of the digest by OpenSSL's name. */
  readonly digest?: { readonly name: string; readonly head: Uint8Array; readonly maxBytes: number } | undefined;
  /** Authentication tag or MAC, if it is known with the first part. */
  readonly proof?: Uint8Array | undefined;
  /** The data to decrypt end with the authentication tag. */
  readonly tagInData?: boolean | undefined;
}

export interface PartOutput {
  /** The correlation value; empty after the end. */
  readonly value: Uint8Array;
  readonly data: Uint8Array;
  /** With the first part: the IV that the token chose in place of the one in the mechanism. */
  readonly iv?: Uint8Array;
  /** At the end of an authenticated encryption. */
  readonly tag?: Uint8Array;
  /** At the end: the tag or MAC that the client sent, with the first or the last part. */
  readonly proof?: Uint8Array;
}
