// A key as operations see it: what it is, what it can do, and what it does, wherever its material lies.
import type { KeyObject } from 'node:crypto';
import type { EncryptInput, StreamInput } from '../../../crypto/cipher/cipher.ts';
import type { Wrapped } from '../../../crypto/cipher/wrap.ts';
import type { FpeParameters } from '../../../crypto/format-preserving/fpe.ts';
import type { DerivationInput, DerivationMethod } from '../../../crypto/key/derive.ts';
import type { CryptographicAlgorithm, CryptographicParameters, RecommendedCurve } from '../../../crypto/parameters.ts';
import type { SignatureEncoding } from '../../../crypto/signature/digest-signature.ts';
import type { StreamKind, StreamOutput } from '../../stream/api.ts';
import type { Principal } from '../api.ts';
import type { Aside } from '../aside.ts';
import type { Streams } from '../streams.ts';
import type { ManagedObject } from './managed-object.ts';

/** What can be known of a key without its bytes. Reading it may be refused, like any use. */
export interface KeyFacts {
  /** The identifier of its object. */
  readonly id: string;
  /** Undefined for an object that is not a key: every use of it is refused with InvalidObjectType. */
  readonly kind: 'secret' | 'private' | 'public' | undefined;
  /** Of a pair EC for the curves of ECDSA and ECDH, ECDH for X25519 and X448; undefined for secret data. */
  readonly algorithm: CryptographicAlgorithm | undefined;
  /** Bits: all of a secret (parity bits are counted), of the modulus, of the field, or (post-quantum) of the public key. */
  readonly length: number;
  readonly curve: RecommendedCurve | undefined;
  /** An RSA key that signs by PSS and does nothing else (RFC 8017 appendix A.2.3). */
  readonly isForPssOnly: boolean;
}

/** `AES_CBC_HMAC` is the content encryption of RFC 7518 section 5.2, which KMIP has no name for; HashingAlgorithm says which. */
export type CipherAlgorithm = CryptographicAlgorithm | 'AES_CBC_HMAC';

/** How a key encrypts and decrypts. */
export interface CipherFacts {
  /** `AES-256-GCM`, `RSA`, `ECIES`, `ML-KEM`, `FF1` */
  readonly name: string;
  /** Bytes of the IV that is made where none is given; undefined: none is needed. */
  readonly ivBytes: number | undefined;
  readonly authenticated: boolean;
  /** 0 where there is no tag. */
  readonly tagBytes: number;
}

export interface CipherChoice {
  /** Of the parameters or the key; not looked at for the keys of a pair. */
  readonly algorithm: CipherAlgorithm | undefined;
  readonly parameters: CryptographicParameters;
}

export interface Encryption extends CipherChoice, StreamInput {
  /** ML-KEM takes none. */
  readonly data: Uint8Array;
  /** The alphabet and tweak of FF1. */
  readonly format?: FpeParameters;
}

export interface Encrypted {
  readonly data: Uint8Array;
  /** Where none was given and one is needed: the one that was made. With ML-KEM the encapsulation of `data`, a new secret. */
  readonly iv?: Uint8Array | undefined;
  readonly tag?: Uint8Array | undefined;
}

export interface Decryption extends Encryption, EncryptInput {
  readonly tag?: Uint8Array | undefined;
}

/** `data`, or the digest of it. */
export interface Signing {
  readonly parameters: CryptographicParameters;
  readonly data?: Uint8Array | undefined;
  readonly digest?: Uint8Array | undefined;
  /** Of ECDSA and DSA signatures: `der` where it is left out. */
  readonly encoding?: SignatureEncoding | undefined;
}

export interface Verification extends Signing {
  readonly signature: Uint8Array;
}

export interface Authentication {
  readonly parameters: CryptographicParameters;
  readonly data: Uint8Array;
}

export interface Derivation extends Omit<DerivationInput, 'key' | 'keyAlgorithm'> {
  readonly method: DerivationMethod;
}

/** What a multi-part operation begins with. */
export interface PartStart extends StreamInput {
  readonly algorithm: CryptographicAlgorithm | undefined;
  readonly parameters: CryptographicParameters;
}

/** One part of a multi-part operation (KMIP 2.1 section 6). */
export interface KeyPart {
  readonly kind: Exclude<StreamKind, 'Hash' | 'PKCS_11'>;
  readonly is: 'first' | 'next' | 'last';
  /** CorrelationValue; the first part has none. */
  readonly value?: Uint8Array | undefined;
  readonly data: Uint8Array | undefined;
  /** Authentication tag, signature or MAC: with the last part, or with the first where it is known. */
  readonly proof?: Uint8Array | undefined;
  /** Called for the first part only. */
  start(): PartStart;
}

/** `iv`: the one that was made for the first part of an encryption. */
export type PartOutput = StreamOutput & { readonly iv?: Uint8Array | undefined };

/**
 * A key that may be used. Every method may be refused, by a Refusal or a CryptoError that `refusalOf` makes one of, with: InvalidObjectType for another kind of key, UnsupportedCryptographicParameters for what the
 * key, or the token that holds it, cannot do (naming the mechanism that is missing), BadCryptographicParameters and InvalidField for what does not fit
 * the key, CryptographicFailure for what cannot be decrypted, WrappingObjectDestroyed for material that is stored wrapped and was not opened.
 */
export interface Key extends KeyFacts {
  /** What it would encrypt and decrypt with, so that a request can be refused before it costs anything. */
  cipher(choice: CipherChoice): CipherFacts;
  /** Whether the operation can be done in parts. */
  takesParts(kind: 'Encrypt' | 'Decrypt', choice: CipherChoice): boolean;
  encrypt(input: Encryption): Promise<Encrypted>;
  decrypt(input: Decryption): Promise<Uint8Array>;
  sign(input: Signing): Promise<Uint8Array>;
  /** False for every signature that is not one of this key and input, malformed ones among them. */
  verify(input: Verification): Promise<boolean>;
  mac(input: Authentication): Promise<Uint8Array>;
  verifyMac(input: Authentication, expected: Uint8Array): Promise<boolean>;
  /** Encrypts the material of another key; without a mode AES is key wrap with padding (RFC 5649), RSA is OAEP. */
  wrap(parameters: CryptographicParameters, material: Uint8Array): Promise<Wrapped>;
  unwrap(parameters: CryptographicParameters, wrapped: Wrapped): Promise<Uint8Array>;
  /** @returns `length` bytes */
  derive(input: Derivation): Promise<Uint8Array>;
  /** @param peer the public key of the other side @returns the raw shared secret (SEC 1 section 3.3, RFC 7748 section 6) */
  agree(peer: KeyObject): Promise<Uint8Array>;
  /** @throws Refusal also as `Streams` */
  parts(part: KeyPart): Promise<PartOutput>;
  /** The public key of a pair, by whichever half. */
  publicKey(): Promise<KeyObject>;
  /** The key itself: to be given out, split, or used as data. @throws Refusal NotExtractable if it cannot leave its place */
  material(): Promise<KeyObject>;
}

/** What a kind of key may need of the operation that uses it. */
export interface KeyContext {
  readonly caller: Pick<Principal, 'user'>;
  readonly aside: Aside;
  readonly server: { readonly streams: Streams; readonly keyKinds: readonly KeyKind[] };
}

/** A place where keys lie. */
export interface KeyKind {
  /** Whether this is the place of the object's key. */
  holds(object: ManagedObject): boolean;
  open(object: ManagedObject, ctx: KeyContext): Key;
}

/** The key of an object whose use is permitted: see `useKey`. The first kind that holds it is the one. */
export function keyOf(object: ManagedObject, ctx: KeyContext): Key {
  for (const kind of ctx.server.keyKinds) if (kind.holds(object)) return kind.open(object, ctx);
  throw new Error(`no kind of key on this server holds ${object.id}`);
}
