// A key as operations see it, wherever its material is stored: facts about it, and everything that it can do.
import type { KeyObject } from 'node:crypto';
import type { EncryptInput, StreamInput } from '../../../crypto/cipher/cipher.ts';
import type { Wrapped } from '../../../crypto/cipher/wrap.ts';
import type { DerivationInput, DerivationMethod } from '../../../crypto/derivation/derive.ts';
import type { FpeParameters } from '../../../crypto/format-preserving/fpe.ts';
import type { CryptographicAlgorithm, CryptographicParameters, RecommendedCurve } from '../../../crypto/parameters.ts';
import type { SignatureEncoding } from '../../../crypto/signature/digest-signature.ts';
import type { KeyFormatType } from '../../../kmip/key-format/key-format-type.ts';
import type { GivenInputs } from '../../../kmip/part-inputs.ts';
import type { StreamKind, StreamOutput } from '../../stream/api.ts';
import type { Principal } from '../api.ts';
import type { Aside } from '../aside.ts';
import type { Streams } from '../streams.ts';
import type { ManagedObject } from './managed-object.ts';

/** Facts about a key that do not need its bytes. Reading them may be refused like any use. */
export interface KeyFacts {
  /** The identifier of its object. */
  readonly id: string;
  /** Undefined if the object is not a key: every use of it is refused with InvalidObjectType. */
  readonly kind: 'secret' | 'private' | 'public' | undefined;
  /** For key pairs: EC for the curves of ECDSA and ECDH, ECDH for X25519 and X448. Undefined for secret data. */
  readonly algorithm: CryptographicAlgorithm | undefined;
  /** In bits: of the whole secret (including parity bits), of the modulus, of the field, or (post-quantum) of the public key. */
  readonly length: number;
  readonly curve: RecommendedCurve | undefined;
  /** An RSA key that may only sign with PSS (RFC 8017 appendix A.2.3). */
  readonly isForPssOnly: boolean;
}

/** `AES_CBC_HMAC` is the content encryption of RFC 7518 section 5.2, for which KMIP has no name; HashingAlgorithm selects the variant. */
export type CipherAlgorithm = CryptographicAlgorithm | 'AES_CBC_HMAC';

/** How a key encrypts and decrypts. */
export interface CipherFacts {
  /** `AES-256-GCM`, `RSA`, `ECIES`, `ML-KEM`, `FF1` */
  readonly name: string;
  /** Bytes of the IV that is generated if none is given; undefined if the cipher needs no IV. */
  readonly ivBytes: number | undefined;
  readonly authenticated: boolean;
  /** 0 if the cipher has no tag. */
  readonly tagBytes: number;
}

export interface CipherChoice {
  /** From the parameters or the key; ignored for key pairs. */
  readonly algorithm: CipherAlgorithm | undefined;
  readonly parameters: CryptographicParameters;
}

export interface Encryption extends CipherChoice, StreamInput {
  /** Ignored by ML-KEM. */
  readonly data: Uint8Array;
  /** The alphabet and tweak of FF1. */
  readonly format?: FpeParameters;
}

export interface Encrypted {
  readonly data: Uint8Array;
  /** The generated IV, if one is needed and none was given. For ML-KEM, the encapsulation of `data`, which is a new secret. */
  readonly iv?: Uint8Array | undefined;
  readonly tag?: Uint8Array | undefined;
}

export interface Decryption extends Encryption, EncryptInput {
  readonly tag?: Uint8Array | undefined;
}

/** Either `data` or its digest. */
export interface Signing {
  readonly parameters: CryptographicParameters;
  readonly data?: Uint8Array | undefined;
  readonly digest?: Uint8Array | undefined;
  /** For ECDSA and DSA signatures; the default is `der`. */
  readonly encoding?: SignatureEncoding | undefined;
}

export interface Verification extends Signing {
  readonly signature: Uint8Array;
}

export interface Authentication {
  readonly parameters: CryptographicParameters;
  readonly data: Uint8Array;
}

/** The material of a key that is stored wrapped. */
export interface WrappedMaterial extends Wrapped {
  readonly parameters: CryptographicParameters;
  readonly format: KeyFormatType;
}

export interface Derivation extends Omit<DerivationInput, 'key' | 'keyAlgorithm'> {
  readonly method: DerivationMethod;
}

/** What the first part of a multi-part operation supplies. */
export interface PartStart extends StreamInput {
  readonly algorithm: CryptographicAlgorithm | undefined;
  readonly parameters: CryptographicParameters;
  /** The data to decrypt end with the authentication tag. */
  readonly tagInData?: boolean | undefined;
}

/** One part of a multi-part operation (KMIP 2.1 section 6). */
export interface KeyPart {
  readonly kind: Exclude<StreamKind, 'Hash' | 'PKCS_11'>;
  readonly is: 'first' | 'next' | 'last';
  /** CorrelationValue; the first part has none. */
  readonly value?: Uint8Array | undefined;
  readonly data: Uint8Array | undefined;
  /** Authentication tag, signature or MAC: with the last part, or with the first if it is already known. */
  readonly proof?: Uint8Array | undefined;
  /** Called for the first part only. */
  start(): PartStart;
  /** What a later part gives again of the first. */
  readonly repeats?: GivenInputs;
}

/** `iv` is the one generated for the first part of an encryption. */
export type PartOutput = StreamOutput & { readonly iv?: Uint8Array | undefined };

/**
 * A key that may be used. What needs no other thread or device may be there at once. Every method may throw a Refusal, or a CryptoError that `refusalOf` turns into one:
 * InvalidObjectType for the wrong kind of key,
 * UnsupportedCryptographicParameters if the key, or the token that holds it, lacks a mechanism (the message names it),
 * BadCryptographicParameters and InvalidField for input that does not fit the key,
 * CryptographicFailure if data cannot be decrypted,
 * WrappingObjectDestroyed for material that is stored wrapped and was not unwrapped.
 */
export interface Key extends KeyFacts {
  /** The cipher that would be used, so that a request can be refused before any costly work. */
  cipher(choice: CipherChoice): CipherFacts;
  /** Whether the operation supports multiple parts. */
  takesParts(kind: 'Encrypt' | 'Decrypt', choice: CipherChoice): boolean;
  encrypt(input: Encryption): Encrypted | Promise<Encrypted>;
  decrypt(input: Decryption): Uint8Array | Promise<Uint8Array>;
  sign(input: Signing): Uint8Array | Promise<Uint8Array>;
  /** False for every signature that does not match this key and input, including malformed ones. */
  verify(input: Verification): Promise<boolean>;
  mac(input: Authentication): Uint8Array | Promise<Uint8Array>;
  verifyMac(input: Authentication, expected: Uint8Array): Promise<boolean>;
  /** Encrypts the material of another key. If the parameters name no mode, AES uses key wrap with padding (RFC 5649), and RSA uses OAEP. */
  wrap(parameters: CryptographicParameters, material: Uint8Array): Promise<Wrapped>;
  unwrap(parameters: CryptographicParameters, wrapped: Wrapped): Promise<Uint8Array>;
  /**
   * Opens another key where this one lies, so that its material is nowhere else; undefined if it cannot. Keys in software have none of it.
   * @param inClear opens it on this server, for what cannot be done there
   */
  hold?(object: ManagedObject, wrapped: WrappedMaterial, inClear: () => Promise<Key>): Promise<Key | undefined>;
  /**
   * Wraps another key, for which the wrapped one need not leave its place; undefined if they do not lie in the same. Keys in software have none of it.
   * The material is the value of a secret, or PKCS #8.
   */
  wrapThere?(parameters: CryptographicParameters, other: Key): Promise<Wrapped | undefined>;
  /** @returns `length` bytes */
  derive(input: Derivation): Promise<Uint8Array>;
  /** @param peer the public key of the other side @returns the raw shared secret (SEC 1 section 3.3, RFC 7748 section 6) */
  agree(peer: KeyObject): Promise<Uint8Array>;
  /** @returns the secret in it: see `crypto/key/encapsulation.ts`. Anybody encapsulates one with the public key. */
  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array>;
  /** @throws Refusal, including those of `Streams` */
  parts(part: KeyPart): Promise<PartOutput>;
  /** The public key of the pair, whether this is its private or its public key. */
  publicKey(): Promise<KeyObject>;
  /** The key itself, in order to return it, split it or use it as data. @throws Refusal NotExtractable if it cannot leave its place */
  material(): Promise<KeyObject>;
}

/** What a kind of key may need from the operation that uses it. */
export interface KeyContext {
  readonly caller: Pick<Principal, 'user'>;
  readonly aside: Aside;
  readonly server: { readonly streams: Streams; readonly keyKinds: readonly KeyKind[] };
}

/** A kind of key: all keys whose material is stored in the same kind of place. */
export interface KeyKind {
  /** Whether the object's key is of this kind. */
  holds(object: ManagedObject): boolean;
  open(object: ManagedObject, ctx: KeyContext): Key;
  /** An object is given up: its key, and those that it has wrapped, are not kept ready for use any longer. */
  giveUp?(id: string): void;
}

/** After objects were revoked or destroyed. Uses are refused without it. */
export function giveUpKeys({ keyKinds }: Pick<KeyContext['server'], 'keyKinds'>, ids: readonly string[]): void {
  for (const { giveUp } of keyKinds) for (const id of ids) giveUp?.(id);
}

/** Opens the key of an object whose use is permitted: see `useKey`. The first kind that holds the key opens it. */
export function keyOf(object: ManagedObject, ctx: KeyContext): Key {
  for (const kind of ctx.server.keyKinds) if (kind.holds(object)) return kind.open(object, ctx);
  throw new Error(`no kind of key on this server holds ${object.id}`);
}
