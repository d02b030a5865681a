// A known answer: input of an algorithm, and what it must make of it. Plain data with bytes in hexadecimal, so that it can cross threads.
import type { DerivationMethod } from '../derivation/derive.ts';
import type { CryptographicAlgorithm, CryptographicParameters, HashingAlgorithm, RecommendedCurve } from '../parameters.ts';
import type { SplitKeyMethod } from '../secret-sharing/split.ts';

interface Answer<Kind extends string> {
  /** What is switched off if the answer is wrong. Several answers may be about one algorithm. */
  readonly algorithm: string;
  /** Where it is published. */
  readonly source: string;
  readonly kind: Kind;
}

export interface CipherAnswer extends Answer<'cipher'> {
  readonly of: CryptographicAlgorithm | 'AES_CBC_HMAC';
  readonly parameters: CryptographicParameters;
  readonly key: string;
  readonly iv?: string;
  readonly aad?: string;
  readonly data: string;
  readonly encrypted: string;
  readonly tag?: string;
}

export interface HashAnswer extends Answer<'hash'> {
  readonly of: HashingAlgorithm;
  readonly data: string;
  readonly digest: string;
}

export interface MacAnswer extends Answer<'mac'> {
  readonly of: CryptographicAlgorithm;
  readonly parameters: CryptographicParameters;
  readonly key: string;
  readonly data: string;
  readonly mac: string;
}

export interface DerivationAnswer extends Answer<'derivation'> {
  readonly method: DerivationMethod;
  readonly parameters: CryptographicParameters;
  readonly key?: string;
  readonly keyAlgorithm?: CryptographicAlgorithm;
  readonly data: readonly string[];
  readonly salt?: string;
  readonly iv?: string;
  readonly iterationCount?: number;
  readonly derived: string;
}

export interface FormatAnswer extends Answer<'format'> {
  readonly key: string;
  readonly radix: number;
  readonly tweak: string;
  readonly text: string;
  readonly encrypted: string;
}

export interface SharesAnswer extends Answer<'shares'> {
  readonly method: SplitKeyMethod;
  readonly threshold: number;
  readonly prime?: string;
  readonly parts: readonly { readonly identifier: number; readonly material: string }[];
  readonly secret: string;
}

/** DER (PKCS#8 or SubjectPublicKeyInfo), or raw bytes with what they are of. */
export type AnswerKey = { readonly der: string } | { readonly raw: string; readonly of: CryptographicAlgorithm; readonly curve?: RecommendedCurve };

/** A published signature is verified, and refused with a changed bit; a private key signs, and its signature is verified. */
export interface SignatureAnswer extends Answer<'signature'> {
  readonly parameters: CryptographicParameters;
  readonly message: string;
  readonly publicKey?: AnswerKey;
  readonly privateKey?: AnswerKey;
  readonly signature?: string;
  /** The algorithm has no random part: signing must make `signature`. */
  readonly isFixed?: boolean;
  /** SHA-256 of the raw public key that belongs to the private key. */
  readonly publicKeyDigest?: string;
}

export interface DecryptionAnswer extends Answer<'decryption'> {
  readonly parameters: CryptographicParameters;
  readonly privateKey: AnswerKey;
  readonly encrypted: string;
  readonly data: string;
}

export interface AgreementAnswer extends Answer<'agreement'> {
  readonly privateKey: AnswerKey;
  readonly publicKey: AnswerKey;
  readonly secret: string;
}

export interface EncapsulationAnswer extends Answer<'encapsulation'> {
  readonly privateKey: AnswerKey;
  readonly encrypted: string;
  readonly secret: string;
}

export type SymmetricAnswer = CipherAnswer | HashAnswer | MacAnswer | DerivationAnswer | FormatAnswer | SharesAnswer;
export type AsymmetricAnswer = SignatureAnswer | DecryptionAnswer | AgreementAnswer | EncapsulationAnswer;
export type KnownAnswer = SymmetricAnswer | AsymmetricAnswer;
