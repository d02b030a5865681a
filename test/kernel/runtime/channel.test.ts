// The channel between a caller and an actor: one array for each tick, order, what cannot be sent, what is no message, and the end.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { CALL, CONTROL, type Control, FAULT, VALUE } from '../../../kernel/runtime/channel/messages.ts';
import { channels, settle } from './two-ends.ts';

const call = (n: number, ...args: readonly unknown[]) => [CALL, n, 'm', undefined, args] as const;

const heardBy = (channel: ReturnType<typeof channels>['ours']) => {
  const heard: unknown[] = [];
  channel.onCall((message) => void heard.push(message));
  channel.onAnswer((message) => void heard.push(message));
  channel.onControl((control) => void heard.push(control));
  return heard;
};

test('messages and control messages of one tick are one batch, in the order they were made', async () => {
  const { ours, theirs, wire } = channels();
  const heard = heardBy(theirs);
  ours.send(call(1));
  ours.control({ kind: 'cancel', n: 1 });
  ours.send([VALUE, 2, 0.5, 'done']);
  assert.equal(wire.posted.length, 0);
  await settle();
  assert.deepEqual(heard, [call(1), { kind: 'cancel', n: 1 }, [VALUE, 2, 0.5, 'done']]);
  assert.equal(wire.posted.length, 1);
  ours.send(call(3));
  await settle();
  assert.equal(wire.posted.length, 2);
});

test('what is answered while a batch is read leaves with the end of it, as one batch', async () => {
  const { ours, theirs, wire } = channels();
  const heard = heardBy(theirs);
  ours.onCall(([, n]) => ours.send([VALUE, n, 0, 'at once']));
  for (const n of [1, 2, 3]) theirs.send(call(n));
  theirs.flush();
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual([wire.posted.length, heard.length], [1, 3]);
});

test('flush sends at once what is pending, and nothing twice', async () => {
  const { ours, wire } = channels();
  ours.flush();
  ours.send(call(1));
  ours.flush();
  assert.equal(wire.posted.length, 1);
  await settle();
  assert.equal(wire.posted.length, 1);
});

test('buffers move with their batch, also if another message of it cannot be sent', async () => {
  for (const other of ['fine', () => 1]) {
    const { ours, theirs } = channels();
    const heard = heardBy(theirs);
    const bytes = new Uint8Array([1, 2, 3]);
    ours.send(call(1, other));
    ours.send(call(2, bytes), [bytes.buffer]);
    await settle();
    assert.equal(bytes.length, 0);
    assert.deepEqual(heard.at(-1), call(2, new Uint8Array([1, 2, 3])));
  }
});

test('a call that cannot be sent is answered here with a fault, and the others of its tick arrive', async () => {
  const { ours, theirs } = channels();
  const [here, there] = [heardBy(ours), heardBy(theirs)];
  ours.send(call(1));
  ours.send(call(2, () => 1));
  ours.send(call(3));
  await settle();
  assert.deepEqual(there, [call(1), call(3)]);
  const [answer] = here as [kind: number, n: number, ms: number, fault: { code: string }][];
  assert.deepEqual([here.length, answer?.[0], answer?.[1], answer?.[3].code], [1, FAULT, 2, 'INTERNAL']);
});

test('an answer that cannot be sent becomes a fault for its caller', async () => {
  const { ours, theirs } = channels();
  const heard = heardBy(theirs) as [kind: number, n: number, ms: number, fault: { code: string }][];
  ours.send([VALUE, 7, 0, () => 1]);
  await settle();
  assert.deepEqual(
    heard.map(([kind, n, , fault]) => [kind, n, fault.code]),
    [[FAULT, 7, 'INTERNAL']],
  );
});

const NO_MESSAGES: readonly unknown[] = [
  ...[null, undefined, 7, 'a text', {}, { id: 'x' }, [], [null], ['0', 1], [9, 1], [-1, 1], [CALL], [CALL, 1], [CALL, 1, 'm', undefined], [CONTROL]],
  ...[
    [CALL, '1', 'm', undefined, []],
    [CALL, 1.5, 'm', undefined, []],
    [CALL, 1, Symbol.iterator.description, {}, []],
    [CALL, 1, ['m'], undefined, []],
  ],
  ...[
    [CALL, 1, 'm', undefined, { length: 1 }],
    [CONTROL, null],
    [CONTROL, 'stop'],
    [CONTROL, {}],
    [CONTROL, { kind: 1 }],
    [VALUE, '1', 0, 'x'],
    [VALUE, Number.NaN, 0, 'x'],
  ],
];

test('what is no message is dropped, and the messages around it arrive', async () => {
  const { theirs, wire } = channels();
  const heard = heardBy(theirs);
  wire.post([call(1), ...NO_MESSAGES, call(2)], []);
  for (const batch of [null, 7, 'a text', { length: 1, 0: call(3) }]) wire.post(batch as never, []);
  await settle();
  assert.deepEqual(heard, [call(1), call(2)]);
});

const BAD_ANSWERS: readonly (readonly unknown[])[] = [
  ...[[VALUE], [VALUE, 'x'], [VALUE, Number.NaN, 'x'], [VALUE, -1, 'x'], [VALUE, Number.POSITIVE_INFINITY, 'x'], [FAULT, 0], [FAULT, 0, null]],
  ...[
    [FAULT, 0, 'DENIED'],
    [FAULT, 0, {}],
    [FAULT, 0, { code: 7 }],
    [FAULT, 0, { code: 'no code\n' }],
    [FAULT, 0, { code: 'A'.repeat(65) }],
  ],
  ...[
    [FAULT, 0, { code: 'DENIED', detail: {} }],
    [FAULT, 0, { code: 'DENIED', errors: 'all' }],
    [FAULT, 0, { code: 'DENIED', errors: [1] }],
  ],
].map(([kind, ...rest]) => [kind, 1, ...rest]);

test('a malformed answer to a call becomes a fault, so that its caller does not wait', async () => {
  for (const answer of BAD_ANSWERS) {
    const { theirs, wire } = channels();
    const heard = heardBy(theirs) as [kind: number, n: number, ms: number, fault: { code: string }][];
    wire.post([answer], []);
    await settle();
    assert.deepEqual([heard.length, heard[0]?.[0], heard[0]?.[1], heard[0]?.[3].code], [1, FAULT, 1, 'INTERNAL'], JSON.stringify(answer));
  }
});

test('a close sends what is pending, tells both sides once, and nothing follows it', async () => {
  const { ours, theirs, wire } = channels();
  const heard = heardBy(theirs);
  const closed: string[] = [];
  ours.onClose(() => void closed.push('ours'));
  theirs.onClose(() => void closed.push('theirs'));
  ours.send(call(1));
  ours.close();
  ours.close();
  theirs.close();
  assert.equal(wire.isClosed, true);
  ours.send(call(2));
  ours.control({ kind: 'too late' });
  ours.flush();
  await settle();
  assert.deepEqual(heard, [call(1)]);
  assert.deepEqual(closed.sort(), ['ours', 'theirs']);
});

test('a listener that was taken away hears nothing more', async () => {
  const { ours, theirs } = channels();
  const heard: Control[] = [];
  const stop = theirs.onControl((control) => void heard.push(control));
  ours.control({ kind: 'one' });
  await settle();
  stop();
  ours.control({ kind: 'two' });
  await settle();
  assert.deepEqual(heard, [{ kind: 'one' }]);
});

test.run();
