// The side of an actor that calls arrive at: it serves its own methods only, a cancellation reaches the call that runs, and one that is over is forgotten.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { Api, Call } from '../../../kernel/actor.ts';
import { callContext } from '../../../kernel/call-context.ts';
import { moveLarge } from '../../../kernel/runtime/channel/bytes.ts';
import { exposeApi } from '../../../kernel/runtime/channel/facade.ts';
import { type Answer, CALL, FAULT, VALUE } from '../../../kernel/runtime/channel/messages.ts';
import { channels, settle } from './two-ends.ts';

/** A channel to an actor, and what it has answered, by the number of the call. */
function actor(api: Api) {
  const { ours, theirs } = channels();
  exposeApi(api, theirs);
  const answers = new Map<number, Answer>();
  ours.onAnswer((answer) => void answers.set(answer[1], answer));
  return { channel: ours, answers, call: (method: string, n: number, ...args: readonly unknown[]) => ours.send([CALL, n, method, undefined, args]) };
}

test('a running call is cancelled by its number; an ended call, successful or not, is forgotten', async () => {
  const signals: AbortSignal[] = [];
  const seen = () => signals.push((callContext.getStore() as Call).signal);
  const waiting = Promise.withResolvers<string>();
  const { channel, answers, call } = actor({
    wait: () => {
      seen();
      return waiting.promise;
    },
    answer: () => seen(),
    fail: () => {
      seen();
      throw new Error('broken');
    },
  });
  for (const [index, name] of ['wait', 'answer', 'fail'].entries()) call(name, index + 1);
  await settle();
  assert.deepEqual([answers.get(1), answers.get(2)?.[0], answers.get(3)?.[0]], [undefined, VALUE, FAULT]);
  for (const n of [1, 2, 3, 4]) channel.control({ kind: 'cancel', n });
  await settle();
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false, false],
  );
  waiting.resolve('done');
  await settle();
  assert.equal(answers.get(1)?.[3], 'done');
});

test('a method that the actor does not have is answered with a fault, whatever objects inherit', async () => {
  const { answers, call } = actor({ echo: (text: string) => text });
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__', 'then', '', 'echo.call', 'Echo', '0'];
  for (const [n, name] of names.entries()) call(name, n, 'x');
  call('echo', names.length, 'still there');
  await settle();
  for (const [n, name] of names.entries()) {
    const answer = answers.get(n) as Extract<Answer, readonly [typeof FAULT, ...unknown[]]>;
    assert.deepEqual([answer[0], answer[3].code], [FAULT, 'INTERNAL'], name);
  }
  assert.equal(answers.get(names.length)?.[3], 'still there');
});

test('values, promises and what is thrown are answers; an array of arguments is not taken apart further', async () => {
  const { answers, call } = actor({
    list: (...args: unknown[]) => args,
    later: async (text: string) => text,
    reject: () => Promise.reject('no error object'),
    closure: () => () => 1,
    later_closure: async () => () => 1,
  });
  call('list', 1, ['a'], undefined, null);
  call('later', 2, 'text');
  for (const [index, name] of ['reject', 'closure', 'later_closure'].entries()) call(name, index + 3);
  await settle();
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((n) => answers.get(n)?.[0]),
    [VALUE, VALUE, FAULT, FAULT, FAULT],
  );
  assert.deepEqual([answers.get(1)?.[3], answers.get(2)?.[3]], [[['a'], undefined, null], 'text']);
});

test('large bytes of an answer leave the actor, and small ones are copied', async () => {
  const bodies = [new Uint8Array(65_536).fill(7), new Uint8Array(65_535).fill(7)] as const;
  const { answers, call } = actor({ large: async () => moveLarge(bodies[0]), small: () => moveLarge(bodies[1]) });
  call('large', 1);
  call('small', 2);
  await settle();
  assert.deepEqual(
    bodies.map(({ byteLength }) => byteLength),
    [0, 65_535],
  );
  assert.deepEqual(
    [1, 2].map((n) => (answers.get(n)?.[3] as Uint8Array | undefined)?.byteLength),
    [65_536, 65_535],
  );
});

test.run();
