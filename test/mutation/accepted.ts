// Mutants that are left alive on purpose, from the list in test/mutants.md.
import { describeMutant, type Mutant } from './mutant.ts';

const ENTRY = /^- `([^`]+\.ts)`: (`.+` -> `.+`): (.{10,})$/gm;

/** @returns of each entry the file and the mutant, as `describeMutant` writes it, with the reason */
export function readAccepted(document: string): Map<string, string> {
  return new Map([...document.matchAll(ENTRY)].map(([, file, change, reason]) => [`${file} ${change}`, reason as string]));
}

export const reasonOf = (mutant: Mutant, accepted: ReadonlyMap<string, string>): string | undefined => accepted.get(`${mutant.file} ${describeMutant(mutant)}`);
