// The interface of the stream actor: multi-part cryptographic operations, whose state cannot leave its thread (KMIP specification 2.1 section 6).
import type { CryptographicAlgorithm, CryptographicParameters } from '../../crypto/parameters.ts';
import type { KnownAnswer } from '../../crypto/self-test/known-answer.ts';
import type { PartInputs } from '../../kmip/part-inputs.ts';
import type { ResultReason } from '../../kmip/refusal.ts';

/** `PKCS_11` only records that a client has initialized. */
export type StreamKind = 'Encrypt' | 'Decrypt' | 'Sign' | 'SignatureVerify' | 'MAC' | 'MACVerify' | 'Hash' | 'PKCS_11';

/** Only the user and the operation that began a stream can continue it, with the same object. */
export interface StreamOwner {
  readonly kind: StreamKind;
  readonly user: string;
  /** Identifier of the key; empty for a hash. */
  readonly object: string;
  /** Of the first part, or what a later one repeats of it. */
  readonly inputs?: PartInputs | undefined;
}

export interface StreamStart extends StreamOwner {
  readonly algorithm: CryptographicAlgorithm | undefined;
  readonly parameters: CryptographicParameters;
  /** Symmetric key bytes, PKCS#8 of a private key or SubjectPublicKeyInfo of a public key; empty for a hash. Overwritten after use. */
  readonly key: Uint8Array;
  readonly iv: Uint8Array | undefined;
  readonly aad: Uint8Array | undefined;
  /** Authentication tag, signature or MAC to compare with, if the client sends it with the first part. */
  readonly proof: Uint8Array | undefined;
  /** The data to decrypt end with the authentication tag. */
  readonly tagInData?: boolean | undefined;
}

export interface StreamOutput {
  readonly ok: true;
  /** Correlation value, which identifies the stream in later calls; empty after its end. */
  readonly value: Uint8Array;
  /** The next output: ciphertext, plaintext, signature, MAC or hash; often empty before the end. */
  readonly data: Uint8Array;
  /** Set at the end of an authenticated encryption. */
  readonly tag: Uint8Array | undefined;
  /** Set at the end of a verification. */
  readonly valid: boolean | undefined;
}

/** An error of the client. A value, because a thrown fault would lose its reason on the way to another thread. */
export interface StreamRefusal {
  readonly ok: false;
  readonly reason: ResultReason;
  readonly message: string;
}

export type StreamResult = StreamOutput | StreamRefusal;

/**
 * Unknown, expired, finished and foreign correlation values are refused with InvalidCorrelationValue, and inputs that differ from those of the
 * first part with InvalidField, which leaves the stream as it is. Any other refusal ends it.
 */
export type StreamApi = {
  begin(start: StreamStart, data: Uint8Array): Promise<StreamResult>;
  update(owner: StreamOwner, value: Uint8Array, data: Uint8Array): Promise<StreamResult>;
  /** @param proof as in `StreamStart`, if the client sends it with the last part */
  finish(owner: StreamOwner, value: Uint8Array, data: Uint8Array, proof: Uint8Array | undefined): Promise<StreamResult>;
  /** @returns whether there was such a stream */
  abandon(owner: StreamOwner, value: Uint8Array): Promise<boolean>;
};

/** Limits of one thread, which holds all streams of a user. If a limit of all users together is reached, the user with the most loses the oldest. */
export interface StreamLimits {
  readonly streams: number;
  readonly streamsPerUser: number;
  /** A stream ends this long after its last part. */
  readonly idleMs: number;
  /** Limits the input of one stream, and also what the streams of one user hold until their end. */
  readonly inputBytes: number;
  /** Limits what all streams hold: what came with their first part, and all parts if the algorithm signs whole messages (Ed25519, Ed448, ML-DSA, SLH-DSA). */
  readonly heldBytes: number;
}

/** Limits that differ from the defaults. */
export interface StreamArgs extends Partial<StreamLimits> {
  /** For tests: known answers besides those of the table. */
  readonly knownAnswers?: readonly KnownAnswer[];
  /** Default true. */
  readonly selfTests?: boolean;
}

const MIB = 1024 * 1024;

export const STREAM_LIMITS: StreamLimits = Object.freeze({
  streams: 10_000,
  streamsPerUser: 1_000,
  idleMs: 300_000,
  inputBytes: 64 * MIB,
  heldBytes: 256 * MIB,
});
