// What a password hash costs in the servers of tests: a run makes and verifies thousands, which took minutes of it.

export const COST = { algorithm: 2, memoryCost: 1_024, timeCost: 1, parallelism: 1, outputLen: 32 } as const;
