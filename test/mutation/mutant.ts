// A change of one place of a source file, after which a test has to fail.

export type MutationKind = 'condition' | 'boundary' | 'operator' | 'statement' | 'audit' | 'return' | 'literal' | 'sql';

/** A place of a source and what is to be written there. */
export interface Mutation {
  readonly kind: MutationKind;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export interface Mutant extends Mutation {
  /** Path from the root of the repository. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly source: string;
}

export const mutatedSource = ({ source, start, end, replacement }: Mutant): string => source.slice(0, start) + replacement + source.slice(end);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The lines that a mutant touches, before and after: what it is known by, whatever lines come and go around it. */
export function describeMutant({ source, start, end, replacement }: Mutant): string {
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const next = source.indexOf('\n', end);
  const to = next === -1 ? source.length : next;
  return `\`${oneLine(source.slice(from, to))}\` -> \`${oneLine(source.slice(from, start) + replacement + source.slice(end, to)) || 'nothing'}\``;
}
