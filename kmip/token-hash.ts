// The hash functions that mechanisms of tokens are used with.

/** By their names in OpenSSL. */
export type TokenHash = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** Lengths of the digests (FIPS 180-4). */
export const HASH_BYTES: Readonly<Record<TokenHash, number>> = { sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 };
