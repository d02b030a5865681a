// The types of forget-variables.mjs, which the launcher runs without a compiler.
export function forgetVariables(names: Iterable<string>): void;
