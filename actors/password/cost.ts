// What a password hash costs.

/** The server's cost parameters (RFC 9106): 64 MiB, 3 passes, 4 lanes. Algorithm 2 is Argon2id in the binding. */
export const COST = { algorithm: 2, memoryCost: 65_536, timeCost: 3, parallelism: 4, outputLen: 32 } as const;
