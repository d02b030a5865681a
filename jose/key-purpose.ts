// What keys are for: the usage masks and cryptographic parameters that are stored with a key, where KMIP operations find them.
import { ENUM } from '../kmip/ttlv/enumeration.ts';
import { MASK } from '../kmip/ttlv/mask.ts';
import { enumeration, type Node, type Structure, structure } from '../kmip/ttlv/node.ts';
import { TAG } from '../kmip/ttlv/tag.ts';

const BIT = MASK.CryptographicUsageMask;
const { BlockCipherMode, HashingAlgorithm, PaddingMethod, DigitalSignatureAlgorithm } = ENUM;

/** The usage masks of the two keys of a pair; a secret key gets both. */
export interface KeyPurpose {
  readonly privateMask: number;
  readonly publicMask: number;
  /** CryptographicParameters, if the algorithm needs any. */
  readonly parameters?: Structure;
}

export const SIGNING: KeyPurpose = { privateMask: BIT.Sign, publicMask: BIT.Verify };
export const ENCRYPTION: KeyPurpose = { privateMask: BIT.Decrypt | BIT.UnwrapKey, publicMask: BIT.Encrypt | BIT.WrapKey };
export const AGREEMENT: KeyPurpose = { privateMask: BIT.KeyAgreement, publicMask: BIT.KeyAgreement };

/** Both purposes, for a key without `alg`. */
export function combinePurposes(a: KeyPurpose, b: KeyPurpose): KeyPurpose {
  return { privateMask: a.privateMask | b.privateMask, publicMask: a.publicMask | b.publicMask };
}

const parameters = (...members: readonly Node[]): Structure => structure(TAG.CryptographicParameters, members);

const HASH = { sha1: HashingAlgorithm.SHA_1, sha256: HashingAlgorithm.SHA_256, sha384: HashingAlgorithm.SHA_384, sha512: HashingAlgorithm.SHA_512 };

const hashing = (hash: keyof typeof HASH): Node => enumeration(TAG.HashingAlgorithm, HASH[hash]);

/** For AES-GCM, or for AES-CBC with an HMAC. @param hash of the HMAC */
export function contentPurpose(hash?: keyof typeof HASH): KeyPurpose {
  const mode = enumeration(TAG.BlockCipherMode, hash === undefined ? BlockCipherMode.GCM : BlockCipherMode.CBC);
  return { privateMask: BIT.Decrypt, publicMask: BIT.Encrypt, parameters: parameters(mode, ...(hash === undefined ? [] : [hashing(hash)])) };
}

export function macPurpose(hash: keyof typeof HASH): KeyPurpose {
  return { privateMask: BIT.MACGenerate, publicMask: BIT.MACVerify, parameters: parameters(hashing(hash)) };
}

export function oaepPurpose(hash: keyof typeof HASH): KeyPurpose {
  return { ...ENCRYPTION, parameters: parameters(enumeration(TAG.PaddingMethod, PaddingMethod.OAEP), hashing(hash)) };
}

export const WRAPPING: KeyPurpose = {
  privateMask: BIT.UnwrapKey,
  publicMask: BIT.WrapKey,
  parameters: parameters(enumeration(TAG.BlockCipherMode, BlockCipherMode.NISTKeyWrap)),
};

const PKCS1 = {
  sha256: DigitalSignatureAlgorithm.SHA_256WithRSAEncryption,
  sha384: DigitalSignatureAlgorithm.SHA_384WithRSAEncryption,
  sha512: DigitalSignatureAlgorithm.SHA_512WithRSAEncryption,
};
const ECDSA = {
  sha256: DigitalSignatureAlgorithm.ECDSAWithSHA256,
  sha384: DigitalSignatureAlgorithm.ECDSAWithSHA384,
  sha512: DigitalSignatureAlgorithm.ECDSAWithSHA512,
};

/** For algorithms that sign a hash. Algorithms that do the hashing themselves use SIGNING. */
export function hashSigning(scheme: 'PKCS1' | 'PSS' | 'ECDSA', hash: keyof typeof PKCS1): KeyPurpose {
  const algorithm = scheme === 'PSS' ? DigitalSignatureAlgorithm.RSASSA_PSS : scheme === 'PKCS1' ? PKCS1[hash] : ECDSA[hash];
  const padding = scheme === 'PSS' ? PaddingMethod.PSS : scheme === 'PKCS1' ? PaddingMethod.PKCS1V1_5 : undefined;
  return {
    ...SIGNING,
    parameters: parameters(
      ...(padding === undefined ? [] : [enumeration(TAG.PaddingMethod, padding)]),
      hashing(hash),
      enumeration(TAG.DigitalSignatureAlgorithm, algorithm),
    ),
  };
}

const OPERATIONS: readonly (readonly [bit: number, keyOperation: string])[] = [
  [BIT.Sign | BIT.MACGenerate, 'sign'],
  [BIT.Verify | BIT.MACVerify, 'verify'],
  [BIT.Encrypt, 'encrypt'],
  [BIT.Decrypt, 'decrypt'],
  [BIT.WrapKey, 'wrapKey'],
  [BIT.UnwrapKey, 'unwrapKey'],
  [BIT.KeyAgreement, 'deriveKey'],
];

/** The usage mask of an operation of `key_ops`; 0 for one that is not registered. */
export function bitsOf(keyOperation: string): number {
  return OPERATIONS.find(([, name]) => name === (keyOperation === 'deriveBits' ? 'deriveKey' : keyOperation))?.[0] ?? 0;
}

/** What is done to a public key by the other side only. */
export const PASSIVE: number = BIT.KeyAgreement;

/** The usage masks for the values of `use` (RFC 7517 section 4.2). */
export const USES: ReadonlyMap<string, number> = new Map([
  ['sig', BIT.Sign | BIT.Verify | BIT.MACGenerate | BIT.MACVerify],
  ['enc', BIT.Encrypt | BIT.Decrypt | BIT.WrapKey | BIT.UnwrapKey | BIT.KeyAgreement],
]);

/** The `key_ops` for a usage mask (RFC 7517 section 4.3). */
export function keyOperations(mask: number): string[] {
  return OPERATIONS.filter(([bit]) => (mask & bit) !== 0).map(([, name]) => name);
}
