// What may be broken in a statement of SQL: its conditions and its order.
import type { Mutation } from './mutant.ts';

const STATEMENT = /^\W*(?:SELECT|UPDATE|DELETE|INSERT|WITH)\b/;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/ AND /g, ' OR '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ DESC\b/g, ' ASC'],
  [/ IS NULL\b/g, ' IS NOT NULL'],
  [/ IS NOT NULL\b/g, ' IS NULL'],
];
/** An equality counts behind WHERE only: before it, it is what an UPDATE sets. */
const EQUALITY = / = /g;

/** @param literal with its quotes, as it is written @param start of it in the source */
export function sqlMutations(literal: string, start: number): Mutation[] {
  if (!STATEMENT.test(literal)) return [];
  const where = literal.search(/\bWHERE\b/);
  const from = (index: number, length: number, replacement: string): Mutation => ({
    kind: 'sql',
    start: start + index,
    end: start + index + length,
    replacement,
  });
  const words = WORDS.flatMap(([pattern, other]) => [...literal.matchAll(pattern)].map((match) => from(match.index, match[0].length, other)));
  const equalities = where === -1 ? [] : [...literal.matchAll(EQUALITY)].filter(({ index }) => index > where);
  return [...words, ...equalities.map((match) => from(match.index, match[0].length, ' <> '))];
}
