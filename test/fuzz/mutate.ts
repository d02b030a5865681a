// Ways to break a message a little: what bytes, JSON and XML have in common first.
import type { Random } from './random.ts';

type Mutation = (bytes: Uint8Array, random: Random, others: readonly Uint8Array[]) => Uint8Array;

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const changed = (bytes: Uint8Array, change: (copy: Uint8Array) => void): Uint8Array => {
  const copy = bytes.slice();
  if (copy.length > 0) change(copy);
  return copy;
};

export const BYTES: readonly Mutation[] = [
  (bytes, random) => changed(bytes, (copy) => (copy[random.below(copy.length)] = random.below(256))),
  (bytes, random) =>
    changed(bytes, (copy) => {
      const at = random.below(copy.length);
      copy[at] = (copy[at] as number) ^ (1 << random.below(8));
    }),
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => bytes.slice(random.below(bytes.length + 1)),
  (bytes, random) => {
    const [from, to] = [random.below(bytes.length + 1), random.below(bytes.length + 1)];
    return joined(bytes.subarray(0, from), bytes.subarray(to));
  },
  (bytes, random, others) => {
    const other = random.pick(others);
    const from = random.below(other.length);
    const at = random.below(bytes.length + 1);
    return joined(bytes.subarray(0, at), other.subarray(from, from + random.below(other.length - from)), bytes.subarray(at));
  },
  (bytes, random) => {
    const at = random.below(bytes.length + 1);
    return joined(bytes.subarray(0, at), new Uint8Array(random.below(17)).fill(random.below(256)), bytes.subarray(at));
  },
];

/** Types, lengths and whole words of a binary message, where a wrong value hurts most. */
export const BINARY: readonly Mutation[] = [
  (bytes, random) => changed(bytes, (copy) => (copy[(random.below(copy.length) & ~7) + 3] = random.below(14))),
  (bytes, random) =>
    changed(bytes, (copy) => copy.set(new Uint8Array([0, 0, random.below(2), random.below(256)]).subarray(0, copy.length), wordAt(copy, random))),
  (bytes, random) =>
    changed(bytes, (copy) => {
      const word = random.pick([0, 1, 7, 8, 9, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff]);
      if (copy.length >= 4) new DataView(copy.buffer).setUint32(wordAt(copy, random), word);
    }),
];

const wordAt = (bytes: Uint8Array, random: Random): number => Math.max(0, Math.min(bytes.length - 4, (random.below(bytes.length) & ~7) + 4));

/** Replaces one token of a text by another; `tokens` finds them. */
export const swap =
  (tokens: RegExp, replacements: readonly string[]): Mutation =>
  (bytes, random) => {
    const text = Buffer.from(bytes).toString('latin1');
    const found = [...text.matchAll(tokens)];
    if (found.length === 0) return bytes;
    const token = random.pick(found);
    const replacement = random.below(2) === 0 ? random.pick(replacements) : random.pick(found)[0];
    return new Uint8Array(Buffer.from(text.slice(0, token.index) + replacement + text.slice(token.index + token[0].length), 'latin1'));
  };

/** One to four mutations of a message of the corpus. */
export function mutated(corpus: readonly Uint8Array[], mutations: readonly Mutation[], random: Random): Uint8Array {
  let bytes = random.pick(corpus);
  for (let left = 1 + random.below(4); left > 0; left--) bytes = random.pick(mutations)(bytes, random, corpus);
  return bytes;
}
