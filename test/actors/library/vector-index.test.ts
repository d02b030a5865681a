// The exact search by vectors against one that is written plainly: any number of references, passages, windows and question windows, and passages without vectors.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { VectorIndex } from '../../../actors/library/vector-index.ts';

/** By reference and passage: the windows, each a vector. */
type Books = readonly (readonly (readonly number[][])[])[];

const vector = (dimensions: number) => fc.array(fc.integer({ min: -8, max: 8 }), { minLength: dimensions, maxLength: dimensions });
const given = fc.integer({ min: 1, max: 9 }).chain((dimensions) =>
  fc.record({
    dimensions: fc.constant(dimensions),
    question: fc.array(vector(dimensions), { minLength: 1, maxLength: 3 }),
    books: fc.array(fc.array(fc.array(vector(dimensions), { maxLength: 3 }), { maxLength: 9 }), { maxLength: 4 }),
    count: fc.integer({ min: 1, max: 12 }),
  }),
);

const similarity = (question: readonly number[][], windows: readonly number[][]) =>
  Math.max(...question.flatMap((one) => windows.map((other) => one.reduce((sum, value, axis) => sum + value * (other[axis] as number), 0))));

function plainly(question: readonly number[][], books: Books): { place: string; similarity: number }[] {
  const all = books.flatMap((book, reference) =>
    book.flatMap((windows, ordinal) => (windows.length === 0 ? [] : [{ place: `${reference}:${ordinal}`, similarity: similarity(question, windows) }])),
  );
  return all.sort((a, b) => b.similarity - a.similarity);
}

test('finds the nearest passages, each by the nearest of its windows, at once and in turns', async () => {
  await fc.assert(
    fc.asyncProperty(given, async ({ dimensions, question, books, count }) => {
      const index = new VectorIndex();
      for (const [reference, book] of books.entries())
        index.add(String(reference), { windows: book.map(({ length }) => length), vectors: Float32Array.from(book.flat(2)) });
      const vectors = Float32Array.from(question.flat());
      const found = index.search(vectors, dimensions, count);
      const inTurns = await index.searchInTurns(vectors, dimensions, count, 1);
      assert.deepEqual(
        inTurns.map((each) => each.similarity),
        found.map((each) => each.similarity),
      );
      const expected = plainly(question, books);
      const similarities = new Map(expected.map((each) => [each.place, each.similarity]));
      // Those that are equally near may come in any order.
      assert.deepEqual(
        found.map((each) => each.similarity),
        expected.slice(0, count).map((each) => each.similarity),
      );
      for (const each of found) assert.equal(each.similarity, similarities.get(`${each.reference}:${each.ordinal}`));
      assert.equal(new Set(found.map(({ reference, ordinal }) => `${reference}:${ordinal}`)).size, found.length);
    }),
    { numRuns: 300 },
  );
});

test.run();
