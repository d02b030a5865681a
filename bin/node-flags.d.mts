// The types of node-flags.mjs, which the launcher runs without a compiler.
export function nodeFlags(what: { readonly isServer: boolean; readonly quickImports?: string }): string[];
