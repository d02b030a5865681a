// What the stream actor does: multi-part cryptographic operations, whose state no other thread can hold (KMIP specification 2.1 section 6).
import type { CryptographicAlgorithm, CryptographicParameters } from '../../crypto/parameters.ts';
import type { ResultReason } from '../../kmip/refusal.ts';

/** `PKCS_11` keeps nothing but the fact that a client has initialized. */
export type StreamKind = 'Encrypt' | 'Decrypt' | 'Sign' | 'SignatureVerify' | 'MAC' | 'MACVerify' | 'Hash' | 'PKCS_11';

/** A stream can be continued by the user and the operation that began it, with the same object, and by nobody else. */
export interface StreamOwner {
  readonly kind: StreamKind;
  readonly user: string;
  /** Identifier of the key; empty for a hash. */
  readonly object: string;
}

export interface StreamStart extends StreamOwner {
  readonly algorithm: CryptographicAlgorithm | undefined;
  readonly parameters: CryptographicParameters;
  /** Bytes of a symmetric key, PKCS#8 of a private key, SubjectPublicKeyInfo of a public key, empty for a hash. Overwritten after use. */
  readonly key: Uint8Array;
  readonly iv: Uint8Array | undefined;
  readonly aad: Uint8Array | undefined;
  /** Authentication tag, signature or MAC to compare with, if it is known at the beginning. */
  readonly proof: Uint8Array | undefined;
}

export interface StreamOutput {
  readonly ok: true;
  /** Names the stream from now on; empty after its end. */
  readonly value: Uint8Array;
  /** Ciphertext, plaintext, signature, MAC or hash as far as it has come; often empty before the end. */
  readonly data: Uint8Array;
  /** At the end of an authenticated encryption. */
  readonly tag: Uint8Array | undefined;
  /** At the end of a verification. */
  readonly valid: boolean | undefined;
}

/** What the client did wrong. A value, because a thrown fault would lose its reason between the threads. */
export interface StreamRefusal {
  readonly ok: false;
  readonly reason: ResultReason;
  readonly message: string;
}

export type StreamResult = StreamOutput | StreamRefusal;

/** An unknown, expired, finished or foreign correlation value is refused with InvalidCorrelationValue; a refused stream is over. */
export type StreamApi = {
  begin(start: StreamStart, data: Uint8Array): Promise<StreamResult>;
  update(owner: StreamOwner, value: Uint8Array, data: Uint8Array): Promise<StreamResult>;
  /** @param proof as in `StreamStart`, where it comes with the last part */
  finish(owner: StreamOwner, value: Uint8Array, data: Uint8Array, proof: Uint8Array | undefined): Promise<StreamResult>;
  /** Whether there was such a stream. */
  abandon(owner: StreamOwner, value: Uint8Array): Promise<boolean>;
};

/** Limits of one thread; all streams of a user are on one. Where those of all users are reached, who has most loses the oldest. */
export interface StreamLimits {
  readonly streams: number;
  readonly streamsPerUser: number;
  /** Since the last part. */
  readonly idleMs: number;
  /** Of all parts of one stream; and of what the streams of one user hold until their end. */
  readonly inputBytes: number;
  /** Of all streams: what came with their beginning, and their parts where the algorithm signs whole messages: Ed25519, Ed448, ML-DSA, SLH-DSA. */
  readonly heldBytes: number;
}

/** Other limits than the usual ones. */
export type StreamArgs = Partial<StreamLimits>;

const MIB = 1024 * 1024;

export const STREAM_LIMITS: StreamLimits = Object.freeze({
  streams: 10_000,
  streamsPerUser: 1_000,
  idleMs: 300_000,
  inputBytes: 64 * MIB,
  heldBytes: 256 * MIB,
});
