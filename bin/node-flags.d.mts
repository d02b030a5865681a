// The types of node-flags.mjs, which the launcher runs without a compiler.
export function helpersFor(cores: number): number;
export function nodeFlags(what: { readonly isServer: boolean; readonly quickImports?: string; readonly helpers?: number | string }): string[];
