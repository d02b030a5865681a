// Long work is done one piece at a time, in order, and not at all for who has gone meanwhile.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createAside } from '../../../actors/kmip/aside.ts';
import type { Call } from '../../../kernel/actor.ts';

interface FakeCall extends Call {
  setAside: number;
}

function calls() {
  const call = { requestId: undefined, signal: new AbortController().signal, isCancelled: false, setAside: 0, aside: () => void call.setAside++ } as FakeCall;
  let current: Call = call;
  const as = (other: Call) => {
    current = other;
  };
  return { call, aside: createAside(() => current), as };
}

test('one piece at a time, in the order asked for, each call set aside', async () => {
  const { call, aside } = calls();
  const events: string[] = [];
  const piece = (name: string) =>
    aside(async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      if (name === 'b') throw new Error('b fails');
      return name;
    });
  const ended = await Promise.allSettled([piece('a'), piece('b'), piece('c')]);
  assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(call.setAside, 3);
  assert.equal(await piece('d'), 'd');
});

test('too much of it is refused at once', async () => {
  const { aside } = calls();
  const first = Promise.withResolvers<void>();
  const taken = Array.from({ length: 257 }, () => aside(() => first.promise));
  await assert.rejects(
    aside(async () => {}),
    { code: 'OVERLOADED' },
  );
  first.resolve();
  await Promise.all(taken);
  assert.equal(await aside(async () => 'again'), 'again');
});

test('who has gone while waiting costs nothing, and those behind go on', async () => {
  const { aside, as, call } = calls();
  const first = Promise.withResolvers<void>();
  const running = aside(() => first.promise);
  const gone = new AbortController();
  as({ ...call, signal: gone.signal });
  let begun = 0;
  const dropped = aside(async () => ++begun);
  as(call);
  const last = aside(async () => 'last');
  gone.abort();
  first.resolve();
  await assert.rejects(dropped, { code: 'CANCELLED' });
  assert.equal(begun, 0);
  assert.equal(await last, 'last');
  await running;
});

test.run();
