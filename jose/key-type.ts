// The key types of JSON Web Keys that the server makes and imports (RFC 7518 section 6.1, RFC 8037, FIPS 204 for AKP).
export const KEY_TYPES = ['oct', 'RSA', 'EC', 'OKP', 'AKP'] as const;
export type KeyType = (typeof KEY_TYPES)[number];
