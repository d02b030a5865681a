// The lengths of RSA keys in JOSE (RFC 7518 sections 3.3, 3.5 and 4.3 set the shortest).

/** Length of the modulus in bits; whole bytes only. */
export const RSA_MODULUS_BITS = { min: 2048, max: 8192, multipleOf: 8 } as const;
