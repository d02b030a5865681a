// Fuses two rankings of passages, by words and by vectors: each passage counts by its places in both (reciprocal rank fusion, Cormack, Clarke and Büttcher 2009).
import type { Match } from './base-index.ts';
import type { Near } from './vector-index.ts';

/** As its authors chose it: how much less the second place counts than the first. Nothing here is tuned to a collection. */
const K = 60;

/** @param hasVectors whether the reference of a passage has vectors; for one without, its place by words counts twice @returns the best first */
export function fused(byWords: readonly Match[], byVectors: readonly Near[], hasVectors: (reference: string) => boolean): Match[] {
  const scores = new Map<string, Match>();
  const count = (reference: string, ordinal: number, score: number) => {
    const key = `${reference}:${ordinal}`;
    scores.set(key, { reference, ordinal, score: (scores.get(key)?.score ?? 0) + score });
  };
  for (const [place, { reference, ordinal }] of byWords.entries()) count(reference, ordinal, (hasVectors(reference) ? 1 : 2) / (K + place + 1));
  for (const [place, { reference, ordinal }] of byVectors.entries()) count(reference, ordinal, 1 / (K + place + 1));
  return [...scores.values()].sort((a, b) => b.score - a.score);
}
