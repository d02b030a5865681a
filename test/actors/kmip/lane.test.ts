// A lane runs as many pieces of work at a time as it is wide, and never one more, whoever comes while a place is handed over.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Lane } from '../../../actors/kmip/lane.ts';

const full = (): never => {
  throw new Error('full');
};

for (const width of [1, 2])
  test(`never more than ${width} at a time, also if work comes in the very moment in which other work ends`, async () => {
    const lane = new Lane({ width, maxWaiting: 100, full });
    const [running, begun]: [Set<number>, number[]] = [new Set(), []];
    const ends = new Map<number, () => void>();
    const piece = (number: number) =>
      lane.run(async () => {
        begun.push(number);
        running.add(number);
        assert.ok(running.size <= width, `${running.size} at a time`);
        await new Promise<void>((resolve) => ends.set(number, resolve));
        running.delete(number);
      });
    const all = Array.from({ length: 4 }, (_, at) => piece(at));
    ends.get(0)?.();
    // Comes between every two steps in which the place changes hands.
    for (let number = 4; number < 12; number++) {
      all.push(piece(number));
      await Promise.resolve();
    }
    for (let turns = 0; turns < 200; turns++) {
      for (const end of ends.values()) end();
      await Promise.resolve();
    }
    await Promise.all(all);
    assert.deepEqual(
      begun,
      begun.toSorted((a, b) => a - b),
    );
    assert.equal(begun.length, 12);
  });

test('what does not find room to wait is told at once, and a failure frees its place', async () => {
  const lane = new Lane({ width: 1, maxWaiting: 1, full });
  const failing = lane.run(() => Promise.reject(new Error('fails')));
  const waiting = lane.run(async () => 'waited');
  assert.throws(() => lane.run(async () => {}), /full/);
  await assert.rejects(failing, /fails/);
  assert.equal(await waiting, 'waited');
  assert.equal(await lane.run(async () => 'again'), 'again');
});

test.run();
