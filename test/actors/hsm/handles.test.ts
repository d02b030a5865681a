// Handles of keys that some use while others destroy them, and the turns of calls.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { Handles } from '../../../actors/hsm/token/handles.ts';
import { TurnQueue } from '../../../actors/hsm/work/turn-queue.ts';

const KEY = { name: 'key', kind: 'secret' } as const;
const OTHER = { name: 'key', kind: 'private' } as const;
const HANDLE = Buffer.alloc(8, 5);

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('a key is destroyed after the uses that run, and its handle is known to nobody then', async () => {
  const handles = new Handles();
  handles.put(KEY, HANDLE);
  handles.put(OTHER, HANDLE);
  const [use, destruction] = [gate(), gate()];
  const events: string[] = [];
  const using = handles.using(KEY, () => use.opened).then(() => events.push('used'));
  const destroying = handles.destroying(KEY, async () => {
    events.push('destroying');
    await destruction.opened;
  });
  assert.deepEqual([handles.has(KEY), handles.has(OTHER)], [false, true]);
  const left = handles.leaving(KEY)?.then(() => events.push('gone'));
  assert.ok(left && handles.leaving(OTHER) === undefined);
  use.open();
  await using;
  handles.put(KEY, HANDLE);
  destruction.open();
  await Promise.all([destroying, left]);
  assert.deepEqual(events, ['used', 'destroying', 'gone']);
  assert.ok(!handles.has(KEY) && handles.leaving(KEY) === undefined);
});

test('a destruction that fails, and one after another, end too', async () => {
  const handles = new Handles();
  const first = handles.destroying(KEY, async () => {
    throw new Error('the token is away');
  });
  const second = handles.destroying(KEY, async () => 'done');
  await assert.rejects(first, /the token is away/);
  assert.equal(await second, 'done');
  assert.equal(handles.leaving(KEY), undefined);
});

test('one call runs at a time, first come, first served', async () => {
  const queue = new TurnQueue();
  const order: number[] = [];
  let running = 0;
  await Promise.all(
    [1, 2, 3].map(async (call) => {
      const end = await queue.enter();
      running += 1;
      assert.equal(running, 1);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(call);
      running -= 1;
      end();
    }),
  );
  assert.deepEqual([order, queue.isBusy], [[1, 2, 3], false]);
});

test.run();
