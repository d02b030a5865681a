// A split lane gives the pool what it has room for, and does the rest in its own thread: one piece between two turns of the event loop, in order.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { SplitLane } from '../../../actors/kmip/split-lane.ts';

const full = (): never => {
  throw new Error('full');
};

/** Pieces of work that tell where they were done; those in the pool end when they are told to. */
function pieces() {
  const done: string[] = [];
  const ends: (() => void)[] = [];
  const piece = (name: string) => ({
    here() {
      done.push(`${name} here`);
      return name;
    },
    async inPool() {
      await new Promise<void>((end) => ends.push(end));
      done.push(`${name} in the pool`);
      return name;
    },
  });
  return { done, ends, piece };
}

const turn = () => new Promise<void>((done) => setImmediate(done));

test('the pool has as many as its share, and the thread does the others, one in each turn', async () => {
  const { done, ends, piece } = pieces();
  const lane = new SplitLane({ share: { width: 1 }, maxWaiting: 10, full });
  const all = ['a', 'b', 'c', 'd'].map((name) => lane.run(piece(name)));
  assert.deepEqual(done, []);
  await turn();
  assert.deepEqual(done, ['b here']);
  await turn();
  assert.deepEqual(done, ['b here', 'c here']);
  ends.shift()?.();
  assert.equal(await all[0], 'a');
  await turn();
  ends.shift()?.();
  assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd']);
  assert.deepEqual(done.slice(2), ['a in the pool', 'd in the pool']);
});

test('without a share everything is done here; a share that shrinks takes nothing more', async () => {
  const { done, ends, piece } = pieces();
  const share = { width: 2 };
  const lane = new SplitLane({ share, maxWaiting: 10, full });
  const [first, second] = [lane.run(piece('a')), lane.run(piece('b'))];
  share.width = 0;
  const rest = ['c', 'd'].map((name) => lane.run(piece(name)));
  for (const end of ends) end();
  await Promise.all([first, second, ...rest]);
  assert.deepEqual(done.toSorted(), ['a in the pool', 'b in the pool', 'c here', 'd here']);
});

test('what does not find room to wait is told at once; a failure is the caller’s, and frees its place', async () => {
  const lane = new SplitLane({ share: { width: 1 }, maxWaiting: 1, full });
  const failing = {
    here: (): string => {
      throw new Error('fails here');
    },
    inPool: () => Promise.reject<string>(new Error('fails in the pool')),
  };
  const [inPool, here] = [lane.run(failing), lane.run(failing)];
  assert.throws(() => lane.run(failing), /full/);
  await assert.rejects(inPool, /fails in the pool/);
  await assert.rejects(here, /fails here|fails in the pool/);
  assert.equal(await lane.run({ here: () => 'here', inPool: async () => 'pool' }), 'pool');
});

test.run();
