// The cryptographic parameters of all algorithms, with the names of KMIP's enumerations (specification 2.1 section 4.16).
import type { BlockCipherMode, CryptographicAlgorithm, DigitalSignatureAlgorithm, HashingAlgorithm, MaskGenerator, PaddingMethod } from './algorithm-name.ts';

export type { BlockCipherMode, CryptographicAlgorithm, DigitalSignatureAlgorithm, HashingAlgorithm, MaskGenerator, PaddingMethod } from './algorithm-name.ts';
export type { RecommendedCurve } from './key/curve-name.ts';

export interface CryptographicParameters {
  readonly blockCipherMode?: BlockCipherMode;
  readonly paddingMethod?: PaddingMethod;
  readonly hashingAlgorithm?: HashingAlgorithm;
  readonly digitalSignatureAlgorithm?: DigitalSignatureAlgorithm;
  readonly cryptographicAlgorithm?: CryptographicAlgorithm;
  readonly randomIv?: boolean;
  /** Bits. */
  readonly ivLength?: number;
  /** Bytes. */
  readonly tagLength?: number;
  /** Bits. */
  readonly fixedFieldLength?: number;
  /** Bits. */
  readonly invocationFieldLength?: number;
  /** Bits. */
  readonly counterLength?: number;
  readonly initialCounterValue?: number;
  /** Bytes. */
  readonly saltLength?: number;
  readonly maskGenerator?: MaskGenerator;
  readonly maskGeneratorHashingAlgorithm?: HashingAlgorithm;
  readonly pSource?: Uint8Array;
  readonly trailerField?: number;
}
