// What is flat and what is not: memory, handles and threads of a node in the later half of a run.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { growthOf, type Sample } from '../../soak/steadiness.ts';

const SECONDS = 200;

/** A node in each second of a run. */
function samples(each: (second: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: SECONDS }, (_, at) => ({ node: 'node1', pid: 1, at: at * 1_000, rssMb: 400, handles: 100, threads: 20, ...each(at) }));
}

const notFlat = (all: readonly Sample[]) => growthOf(all).flatMap(({ what, isFlat }) => (isFlat === false ? [what] : []));

test('a node that stays what it is is flat, whatever it was in the first half', () => {
  assert.deepEqual(notFlat(samples((at) => ({ rssMb: at < 100 ? 10 * at : 1_000, handles: at < 100 ? at : 100 }))), []);
});

test('memory, handles or threads that grow on are told, each by its name', () => {
  assert.deepEqual(notFlat(samples((at) => ({ rssMb: 400 + 8 * at }))), ['rssMb']);
  assert.deepEqual(notFlat(samples((at) => ({ handles: 100 + 2 * at }))), ['handles']);
  assert.deepEqual(notFlat(samples((at) => ({ threads: 20 + Math.floor(at / 5) }))), ['threads']);
});

test('a process that has started anew in the second half is not held against the one before it', () => {
  assert.deepEqual(notFlat(samples((at) => (at < 120 ? { rssMb: 100, threads: 5 } : { pid: 2, rssMb: at < 150 ? 300 : 600, threads: 30 }))), []);
});

test('a process that is young is not judged', () => {
  const all = growthOf(samples((at) => (at < 150 ? {} : { pid: 2, handles: 9 * at })));
  assert.deepEqual([...new Set(all.map(({ isFlat }) => isFlat))], [undefined]);
});

test('each node is looked at', () => {
  const other = samples((at) => ({ node: 'node2', handles: 3 * at }));
  assert.deepEqual(
    growthOf([...samples(() => ({})), ...other]).flatMap(({ node, what, isFlat }) => (isFlat === false ? [`${node} ${what}`] : [])),
    ['node2 handles'],
  );
});

test('what was never seen is not flat', () => {
  assert.deepEqual(notFlat(samples(() => ({ rssMb: Number.NaN }))), ['rssMb']);
});

test.run();
