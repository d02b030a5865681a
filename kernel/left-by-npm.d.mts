// The types of left-by-npm.mjs, which the launcher runs without a compiler.
export function whenLeftByNpm(run: () => void): void;
