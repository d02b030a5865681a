// The lease under a seeded scheduler: nodes that stop, crash, lose and slow their connections never use what was revoked after that was answered.
// GATEHOUSE_LEASE_RUNS=100000 runs more of them; GATEHOUSE_LEASE_SEED=373 repeats one.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { changeText, parseMessage, seenTexts } from '../../../kernel/store/lease-message.ts';
import { runWorld } from './lease-node.ts';
import type { Mistake } from './lease-world.ts';

const RUNS = Number(process.env['GATEHOUSE_LEASE_RUNS'] ?? 2_500);
const FIRST = Number(process.env['GATEHOUSE_LEASE_SEED'] ?? 1);
const LAST = process.env['GATEHOUSE_LEASE_SEED'] === undefined ? RUNS : FIRST;

test('nothing revoked is used once that was answered, whatever is delayed, lost, stopped or crashes', () => {
  const sum = { hits: 0, answered: 0, quick: 0 };
  for (let seed = FIRST; seed <= LAST; seed++) {
    const { violations, hits, answered, quick } = runWorld(seed);
    assert.deepEqual(violations, [], `GATEHOUSE_LEASE_SEED=${seed} repeats it`);
    sum.hits += hits;
    sum.answered += answered;
    sum.quick += quick;
  }
  const runs = LAST - FIRST + 1;
  // Caches are used, and most of the time a revocation is answered without waiting for a lease to end: else nothing is shown.
  assert.ok(sum.hits > 20 * runs && sum.answered > 3 * runs && sum.quick > runs, JSON.stringify(sum));
});

test('the same seed gives the same run', () => assert.deepEqual(runWorld(7), runWorld(7)));

for (const mistake of ['trust from receipt', 'no wait at joining', 'seen before it is', 'old entries after a loss', 'short wait'] satisfies Mistake[])
  test(`a mistake put in on purpose is found: ${mistake}`, () => {
    const seeds = Array.from({ length: RUNS }, (_, at) => at + 1);
    assert.ok(
      seeds.some((seed) => runWorld(seed, mistake).violations.length > 0),
      `${RUNS} runs did not find it`,
    );
  });

test('messages say again what they were made of, also if there is too much for one', () => {
  assert.deepEqual(parseMessage(changeText('a.1', 7, [0, 65_535])), { kind: 'change', origin: 'a.1', change: 7, slots: [0, 65_535] });
  assert.deepEqual(parseMessage(changeText('a.1', 7, undefined)), { kind: 'change', origin: 'a.1', change: 7, slots: undefined });
  const many = changeText(
    'a',
    1,
    Array.from({ length: 5_000 }, (_, at) => 60_000 + at),
  );
  assert.deepEqual([many.length < 8_000, parseMessage(many)], [true, { kind: 'change', origin: 'a', change: 1, slots: undefined }]);
  const texts = seenTexts(
    't',
    Array.from({ length: 3_000 }, (_, at) => ({ origin: `o${at % 2}`, change: at })),
  );
  assert.ok(texts.length > 1 && texts.every((text) => text.length < 8_000));
  const found = texts.flatMap((text) => {
    const message = parseMessage(text);
    return message?.kind === 'seen' ? [...message.changes.values()].flat() : [];
  });
  assert.equal(new Set(found).size, 3_000);
  for (const text of ['', 'change', 'change a', 'change a b c', 'change a 1 zzzz', 'seen t o:x', 'other x']) assert.equal(parseMessage(text), undefined, text);
});

test.run();
