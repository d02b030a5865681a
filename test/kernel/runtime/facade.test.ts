// The side of an actor that calls arrive at: a cancellation reaches the call that runs, and one that is over is forgotten.
import assert from 'node:assert/strict';
import { wrap } from 'comlink';
import { test } from 'uvu';
import type { Call } from '../../../kernel/actor.ts';
import { callContext } from '../../../kernel/call-context.ts';
import { openChannel, type Wire } from '../../../kernel/runtime/channel.ts';
import { exposeApi } from '../../../kernel/runtime/facade.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Two ends of one wire, within this thread. */
function wires(): [Wire, Wire] {
  const ends: ((batch: readonly unknown[]) => void)[] = [];
  const wire = (own: number): Wire => ({
    post: (batch) => queueMicrotask(() => ends[1 - own]?.(batch)),
    listen: (onBatch) => {
      ends[own] = onBatch;
    },
    close() {},
  });
  return [wire(0), wire(1)];
}

test('a running call is cancelled by its number; an ended call, successful or not, is forgotten', async () => {
  const [ours, theirs] = wires();
  const signals: AbortSignal[] = [];
  const seen = () => signals.push((callContext.getStore() as Call).signal);
  const waiting = Promise.withResolvers<string>();
  const api = {
    wait: () => {
      seen();
      return waiting.promise;
    },
    answer: () => seen(),
    fail: () => {
      seen();
      throw new Error('broken');
    },
  };
  exposeApi(api, openChannel(theirs));
  const channel = openChannel(ours);
  const calls = wrap<Record<keyof typeof api, (envelope: unknown) => Promise<{ ok: boolean }>>>(channel.endpoint);
  const call = (name: keyof typeof api, n: number) => calls[name]({ n, requestId: undefined, args: [] });
  const open = call('wait', 1);
  assert.deepEqual([(await call('answer', 2)).ok, (await call('fail', 3)).ok], [true, false]);
  for (const n of [1, 2, 3, 4]) channel.control({ kind: 'cancel', n });
  await settled();
  await settled();
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false, false],
  );
  waiting.resolve('done');
  assert.equal((await open).ok, true);
});

test.run();
