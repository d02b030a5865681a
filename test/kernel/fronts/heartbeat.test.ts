// When a front counts as stuck: after five looks without a turn, once for each thread, and never because nobody looked.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { beat, Heartbeats, watchBeats } from '../../../kernel/fronts/heartbeat.ts';
import { until } from '../../runtime.ts';

const LOOKS = 5;
const memory = () => new SharedArrayBuffer(4);
const turn = (pulse: SharedArrayBuffer) => Atomics.add(new Int32Array(pulse), 0, 1);

function watched() {
  const stuck: string[] = [];
  const front: { name: string; pulse: SharedArrayBuffer | undefined } = { name: 'a', pulse: memory() };
  const other = { name: 'b', pulse: memory() };
  const heartbeats = new Heartbeats<typeof front>(({ name }) => stuck.push(name));
  const look = (times: number) => {
    for (let n = 0; n < times; n += 1) {
      turn(other.pulse);
      heartbeats.look([front, other]);
    }
    return [...stuck];
  };
  return { front, look };
}

test('a front is stuck after five looks without a turn, and told once', () => {
  const { front, look } = watched();
  assert.deepEqual(look(LOOKS), []);
  turn(front.pulse as SharedArrayBuffer);
  // The first look sees the turn.
  assert.deepEqual(look(LOOKS), []);
  assert.deepEqual(look(1), ['a']);
  assert.deepEqual(look(10 * LOOKS), ['a']);
});

test('another thread in its place has its own time, and one that starts or stops is not looked at', () => {
  const { front, look } = watched();
  look(LOOKS);
  front.pulse = undefined;
  assert.deepEqual(look(10 * LOOKS), []);
  front.pulse = memory();
  assert.deepEqual(look(LOOKS), []);
  assert.deepEqual(look(1), ['a']);
});

test('a thread that turns is never stuck, also where this one blocks; without a limit nobody looks', async () => {
  const front = { pulse: memory() };
  const [stuck, never]: string[][] = [[], []];
  const ends = [
    beat(front.pulse, 50),
    watchBeats(
      50,
      () => [front],
      () => stuck?.push('stuck'),
    ),
    watchBeats(
      0,
      () => [{ pulse: memory() }],
      () => never?.push('stuck'),
    ),
  ];
  for (let round = 0; round < 3; round += 1) {
    const end = performance.now() + 100;
    while (performance.now() < end);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(stuck, []);
  ends[0]?.();
  await until(() => stuck?.length === 1, 'without turns it is stuck');
  for (const end of ends) end();
  assert.deepEqual(never, []);
});

test.run();
