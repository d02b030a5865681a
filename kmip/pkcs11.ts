// Numbers of PKCS #11 (v2.40 and v3.0, pkcs11t.h) that this server uses, by their names without prefix.

export const CKO = { SECRET_KEY: 4, PRIVATE_KEY: 3, PUBLIC_KEY: 2 } as const;

export const CKK = { RSA: 0, EC: 3, GENERIC_SECRET: 0x10, AES: 0x1f, EC_EDWARDS: 0x40, EC_MONTGOMERY: 0x41 } as const;

export const CKA = {
  CLASS: 0,
  TOKEN: 1,
  PRIVATE: 2,
  LABEL: 3,
  UNIQUE_ID: 4,
  VALUE: 0x11,
  CHECK_VALUE: 0x90,
  KEY_TYPE: 0x100,
  ID: 0x102,
  SENSITIVE: 0x103,
  ENCRYPT: 0x104,
  DECRYPT: 0x105,
  WRAP: 0x106,
  UNWRAP: 0x107,
  SIGN: 0x108,
  VERIFY: 0x10a,
  DERIVE: 0x10c,
  MODULUS: 0x120,
  MODULUS_BITS: 0x121,
  PUBLIC_EXPONENT: 0x122,
  PRIVATE_EXPONENT: 0x123,
  PRIME_1: 0x124,
  PRIME_2: 0x125,
  EXPONENT_1: 0x126,
  EXPONENT_2: 0x127,
  COEFFICIENT: 0x128,
  VALUE_LEN: 0x161,
  EXTRACTABLE: 0x162,
  EC_PARAMS: 0x180,
  EC_POINT: 0x181,
  ALWAYS_AUTHENTICATE: 0x202,
} as const;

const hashes = (first: number): Readonly<Record<'SHA256' | 'SHA384' | 'SHA512', number>> => ({ SHA256: first, SHA384: first + 0x10, SHA512: first + 0x20 });
const of = (numbers: Readonly<Record<string, number>>, suffix: string) =>
  Object.fromEntries(Object.entries(numbers).map(([hash, code]) => [`CKM_${hash}${suffix}`, code]));

export const CKM: Readonly<Record<string, number>> = {
  CKM_RSA_PKCS_KEY_PAIR_GEN: 0x0,
  CKM_RSA_PKCS: 0x1,
  CKM_RSA_X_509: 0x3,
  CKM_RSA_PKCS_OAEP: 0x9,
  CKM_RSA_PKCS_PSS: 0xd,
  ...of({ SHA1: 0x6, SHA224: 0x46, SHA256: 0x40, SHA384: 0x41, SHA512: 0x42 }, '_RSA_PKCS'),
  ...of({ SHA1: 0xe, SHA224: 0x47, SHA256: 0x43, SHA384: 0x44, SHA512: 0x45 }, '_RSA_PKCS_PSS'),
  ...of({ SHA_1: 0x220, SHA224: 0x255, ...hashes(0x250) }, ''),
  ...of({ SHA_1: 0x221, SHA224: 0x256, ...hashes(0x251) }, '_HMAC'),
  CKM_GENERIC_SECRET_KEY_GEN: 0x350,
  CKM_EC_KEY_PAIR_GEN: 0x1040,
  CKM_ECDSA: 0x1041,
  CKM_ECDH1_DERIVE: 0x1050,
  CKM_EC_EDWARDS_KEY_PAIR_GEN: 0x1055,
  CKM_EC_MONTGOMERY_KEY_PAIR_GEN: 0x1056,
  CKM_EDDSA: 0x1057,
  CKM_AES_KEY_GEN: 0x1080,
  CKM_AES_ECB: 0x1081,
  CKM_AES_CBC: 0x1082,
  CKM_AES_CBC_PAD: 0x1085,
  CKM_AES_CTR: 0x1086,
  CKM_AES_GCM: 0x1087,
  CKM_AES_CMAC: 0x108a,
  CKM_HKDF_DERIVE: 0x402a,
  CKM_AES_KEY_WRAP: 0x2109,
  CKM_AES_KEY_WRAP_PAD: 0x210a,
  CKM_AES_KEY_WRAP_KWP: 0x210b,
};

export const NAME_OF: ReadonlyMap<number, string> = new Map(Object.entries(CKM).map(([name, code]) => [code, name]));
