// Shares: what one may hold, what all may, and who loses where there is no room.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { type Holding, Shares } from '../../../kernel/limits/shares.ts';

/** Holdings that say whom it was taken from. */
function table(options: { each: number; total: number }) {
  const shares = new Shares(options);
  const lost: string[] = [];
  const open = (who: string, name = who): Holding => shares.open(who, () => lost.push(name));
  return { shares, lost, open };
}

test('a holder has its share and no more; what is released is there again; one holding alone may be larger', () => {
  const { shares, lost, open } = table({ each: 100, total: 1_000 });
  const [first, second] = [open('ann'), open('ann')];
  assert.equal(first.set(60), true);
  assert.equal(second.set(41), false);
  assert.equal(shares.isFull('ann'), true);
  assert.equal(second.set(40), true);
  assert.equal(shares.isFull('ann'), true);
  assert.equal(open('ann').set(1), false);
  assert.equal(open('bob').set(100), true);
  assert.deepEqual([shares.held('ann'), shares.held('bob'), shares.total], [100, 100, 200]);
  first.release();
  assert.equal(shares.isFull('ann'), false);
  assert.equal(second.set(50), true);
  second.release();
  second.release();
  assert.equal(open('ann').set(500), true);
  assert.deepEqual(lost, []);
});

test('a smaller amount is never refused', () => {
  const { open, shares } = table({ each: 100, total: 1_000 });
  const [first, second] = [open('ann'), open('ann')];
  assert.ok(first.set(300));
  assert.equal(second.set(1), false);
  assert.ok(first.set(200));
  assert.equal(shares.held('ann'), 200);
});

test('beyond the total, whoever holds most loses their largest holding, and nobody else loses', () => {
  const { shares, lost, open } = table({ each: 100, total: 200 });
  open('ann', 'ann 1').set(50);
  open('ann', 'ann 2').set(45);
  open('bob').set(60);
  assert.equal(open('cyd').set(40), true);
  assert.deepEqual(lost, []);
  // 195 of 200 are held; dan wants ten.
  assert.equal(open('dan').set(10), true);
  assert.deepEqual(lost, ['ann 1']);
  assert.deepEqual([shares.held('ann'), shares.total], [45, 155]);
});

test('whoever holds most may be the one that asks: it is refused, and is not told that it lost', () => {
  const { shares, lost, open } = table({ each: 150, total: 200 });
  open('bob').set(90);
  const ann = open('ann');
  assert.ok(ann.set(100));
  assert.equal(ann.set(120), false);
  assert.deepEqual([lost, shares.held('ann'), shares.total], [[], 0, 90]);
});

test('a kept item is not taken away: the next one is lost', () => {
  const { lost, open } = table({ each: 150, total: 200 });
  const ann = open('ann');
  ann.set(120);
  ann.keep();
  open('bob').set(70);
  assert.equal(open('cyd').set(20), true);
  assert.deepEqual(lost, ['bob']);
  // Nobody has anything to give: the one that asks gives up.
  const other = open('dan');
  assert.equal(other.set(100), false);
});

test('whatever happens, the sums are those of what is held, and no limit is passed', () => {
  const step = fc.record({ at: fc.nat(9), who: fc.constantFrom('a', 'b', 'c'), amount: fc.nat(80), end: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const shares = new Shares({ each: 100, total: 150 });
      const held = new Map<number, { who: string; amount: number; holding: Holding }>();
      for (const { at, who, amount, end } of steps) {
        const own = held.get(at) ?? { who, amount: 0, holding: shares.open(who, () => held.delete(at)) };
        if (end) {
          own.holding.release();
          held.delete(at);
        } else if (own.holding.set(amount)) held.set(at, { ...own, amount });
        else {
          own.holding.release();
          held.delete(at);
        }
        const sum = (of: string) => [...held.values()].filter((each) => each.who === of).reduce((total, each) => total + each.amount, 0);
        for (const each of ['a', 'b', 'c']) assert.equal(shares.held(each), sum(each));
        assert.equal(shares.total, sum('a') + sum('b') + sum('c'));
        assert.ok(shares.total <= 150 && shares.held('a') <= 100);
      }
    }),
  );
});

test.run();
