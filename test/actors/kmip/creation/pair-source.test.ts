// Pairs for a transaction are generated between two runs of it, never inside, and one pair does for all runs that ask for the same.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { withPair } from '../../../../actors/kmip/creation/pair-source.ts';
import { NO_POLICY } from '../../../../actors/kmip/policy/creation-policy.ts';

const CTX = { aside: <T>(work: () => Promise<T>) => work(), policy: async () => NO_POLICY };

test('the change is undone, and run again with the pair; a run that is repeated gets the same', async () => {
  let runs = 0;
  const [first, second] = await withPair(CTX, async (source) => {
    runs += 1;
    return [source('EC', { curve: 'P_256' }), source('EC', { curve: 'P_256' })];
  });
  assert.equal(runs, 2);
  assert.equal(first, second);
  assert.equal(first?.curve, 'P_256');
});

test('a change that then asks for another kind gets that', async () => {
  const curves = ['P_256', 'P_384', 'P_384'] as const;
  let runs = 0;
  const pair = await withPair(CTX, async (source) => source('EC', { curve: curves[runs++] ?? 'P_384' }));
  assert.deepEqual([runs, pair.curve], [3, 'P_384']);
});

test('what else fails, fails', async () => {
  await assert.rejects(
    withPair(CTX, async () => {
      throw new Error('another');
    }),
    /another/,
  );
  await assert.rejects(
    withPair(CTX, async (source) => source('RSA', { length: 512 })),
    /2048/,
  );
});

test.run();
