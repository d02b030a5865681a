// Types of health.mjs, for its test.

/** @param commandLine of the first process, each word ended by a zero byte @returns where the server listens */
export function addressOf(env: Readonly<Record<string, string | undefined>>, commandLine: string): { readonly host: string; readonly port: string };
