// Cryptographic parameters by the names of KMIP's enumerations (specification 2.1 section 4.16), as the algorithms take them.
import type { ENUM } from '../kmip/ttlv/enumeration.ts';

export type CryptographicAlgorithm = keyof typeof ENUM.CryptographicAlgorithm;
export type BlockCipherMode = keyof typeof ENUM.BlockCipherMode;
export type PaddingMethod = keyof typeof ENUM.PaddingMethod;
export type HashingAlgorithm = keyof typeof ENUM.HashingAlgorithm;
export type DigitalSignatureAlgorithm = keyof typeof ENUM.DigitalSignatureAlgorithm;
export type MaskGenerator = keyof typeof ENUM.MaskGenerator;
export type RecommendedCurve = keyof typeof ENUM.RecommendedCurve;
export type KeyFormatType = keyof typeof ENUM.KeyFormatType;

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
