// The ring keeps what an array with searches would keep, whatever comes, comes anew and leaves.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'uvu';
import { type Linked, Ring } from '../../kernel/ring.ts';

interface Entry extends Linked {
  readonly at: number;
}

const entries = (): Entry[] => Array.from({ length: 8 }, (_, at) => ({ at, before: undefined, after: undefined }));

function inOrder(ring: Ring<Entry>): number[] {
  const order: number[] = [];
  for (let oldest = ring.oldest; oldest; oldest = ring.oldest) {
    order.push(oldest.at);
    ring.drop(oldest);
  }
  return order;
}

test('entries are in the order in which they last came', () => {
  const step = fc.record({ at: fc.nat(7), comes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [all, ring] = [entries(), new Ring<Entry>()];
      let model: number[] = [];
      for (const { at, comes } of steps) {
        model = [...model.filter((each) => each !== at), ...(comes ? [at] : [])];
        if (comes) ring.push(all[at] as Entry);
        else ring.drop(all[at] as Entry);
        assert.equal(ring.oldest?.at, model[0]);
      }
      assert.deepEqual(inOrder(ring), model);
      assert.ok(
        all.every(({ before, after }) => before === undefined && after === undefined),
        'what has left keeps nobody',
      );
    }),
  );
});

test.run();
