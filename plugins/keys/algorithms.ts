// The names of KMIP algorithms that the configuration accepts; the server does not start with an unknown one.

// biome-ignore format: a list of names is read as a list.
export const ALGORITHMS: readonly string[] = [
  'DES', 'DES3', 'AES', 'RSA', 'DSA', 'ECDSA', 'HMAC_SHA1', 'HMAC_SHA224', 'HMAC_SHA256', 'HMAC_SHA384', 'HMAC_SHA512', 'HMAC_MD5', 'DH', 'ECDH',
  'ECMQV', 'Blowfish', 'Camellia', 'CAST5', 'IDEA', 'MARS', 'RC2', 'RC4', 'RC5', 'SKIPJACK', 'Twofish', 'EC', 'OneTimePad', 'ChaCha20', 'Poly1305',
  'ChaCha20Poly1305', 'SHA3_224', 'SHA3_256', 'SHA3_384', 'SHA3_512', 'HMAC_SHA3_224', 'HMAC_SHA3_256', 'HMAC_SHA3_384', 'HMAC_SHA3_512',
  'SHAKE_128', 'SHAKE_256', 'ARIA', 'SEED', 'SM2', 'SM3', 'SM4', 'GOSTR34_10_2012', 'GOSTR34_11_2012', 'GOSTR34_13_2015', 'GOST28147_89', 'XMSS',
  'SPHINCS_256', 'McEliece', 'McEliece_6960119', 'McEliece_8192128', 'Ed25519', 'Ed448', 'MLKEM_512', 'MLKEM_768', 'MLKEM_1024', 'MLDSA_44',
  'MLDSA_65', 'MLDSA_87', 'SLHDSA_SHA2_128s', 'SLHDSA_SHA2_128f', 'SLHDSA_SHA2_192s', 'SLHDSA_SHA2_192f', 'SLHDSA_SHA2_256s', 'SLHDSA_SHA2_256f',
  'SLHDSA_SHAKE_128s', 'SLHDSA_SHAKE_128f', 'SLHDSA_SHAKE_192s', 'SLHDSA_SHAKE_192f', 'SLHDSA_SHAKE_256s', 'SLHDSA_SHAKE_256f', 'FPE_FF1',
];
