// Alternative names from older specifications and from other servers; lists only those that differ in more than case and separators.
import type { ENUM, EnumName } from './enumeration.ts';
import type { TagName } from './tag.ts';

export const TAG_ALIAS: Readonly<Record<string, TagName>> = {
  Signature: 'SignatureData',
  ValidityTime: 'ValidityDate',
  CryptographicRoleType: 'KeyRoleType',
  AttributeReferences: 'AttributeReference',
};

type Aliases = { readonly [E in EnumName]?: Readonly<Record<string, keyof (typeof ENUM)[E]>> };

/** Specifications 1.1 to 1.4 include the padding in the names of signature algorithms; 3DES begins with a digit, which a name must not. */
export const ENUM_ALIAS: Aliases = {
  CryptographicAlgorithm: { '3DES': 'DES3', TRIPLE_DES: 'DES3' },
  DigitalSignatureAlgorithm: {
    MD2WithRSAEncryptionPKCS_1V1_5: 'MD2WithRSAEncryption',
    MD5WithRSAEncryptionPKCS_1V1_5: 'MD5WithRSAEncryption',
    SHA_1WithRSAEncryptionPKCS_1V1_5: 'SHA_1WithRSAEncryption',
    SHA_224WithRSAEncryptionPKCS_1V1_5: 'SHA_224WithRSAEncryption',
    SHA_256WithRSAEncryptionPKCS_1V1_5: 'SHA_256WithRSAEncryption',
    SHA_384WithRSAEncryptionPKCS_1V1_5: 'SHA_384WithRSAEncryption',
    SHA_512WithRSAEncryptionPKCS_1V1_5: 'SHA_512WithRSAEncryption',
    RSASSA_PSSPKCS_1V2_1: 'RSASSA_PSS',
  },
  ObjectType: { OpaqueData: 'OpaqueObject' },
};
