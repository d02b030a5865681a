// What a password hash costs in test files in which other requests come in while one is made: a sixth of the server's, still many times a request.

export const COST = { algorithm: 2, memoryCost: 16_384, timeCost: 2, parallelism: 4, outputLen: 32 } as const;
