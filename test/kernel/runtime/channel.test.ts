// The channel between a caller and an actor: one array for each tick, order, what cannot be sent, and the end.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type Control, openChannel } from '../../../kernel/runtime/channel.ts';
import { channels, settle, wires } from './two-ends.ts';

const heardBy = (channel: ReturnType<typeof channels>['ours']) => {
  const heard: unknown[] = [];
  channel.endpoint.addEventListener('message', ((event: { data: unknown }) => void heard.push(event.data)) as never);
  channel.onControl((control) => void heard.push(control));
  return heard;
};

test('messages and control messages of one tick are one batch, in the order they were made', async () => {
  const { ours, theirs, wire } = channels();
  const heard = heardBy(theirs);
  ours.endpoint.postMessage({ id: 'a' });
  ours.control({ kind: 'cancel', n: 1 });
  ours.endpoint.postMessage({ id: 'b' });
  assert.equal(wire.posted.length, 0);
  await settle();
  assert.deepEqual(heard, [{ id: 'a' }, { kind: 'cancel', n: 1 }, { id: 'b' }]);
  assert.equal(wire.posted.length, 1);
  ours.endpoint.postMessage({ id: 'c' });
  await settle();
  assert.equal(wire.posted.length, 2);
});

test('flush sends at once what is pending, and nothing twice', async () => {
  const { ours, wire } = channels();
  ours.flush();
  ours.endpoint.postMessage({ id: 'a' });
  ours.flush();
  assert.equal(wire.posted.length, 1);
  await settle();
  assert.equal(wire.posted.length, 1);
});

test('buffers move with their batch', async () => {
  const { ours, theirs } = channels();
  const heard = heardBy(theirs) as { bytes: Uint8Array }[];
  const bytes = new Uint8Array([1, 2, 3]);
  ours.endpoint.postMessage({ id: 'a', bytes }, [bytes.buffer]);
  await settle();
  assert.equal(bytes.length, 0);
  assert.deepEqual([...(heard[0]?.bytes ?? [])], [1, 2, 3]);
});

test('a call that cannot be sent is answered here with a fault, and the others of its tick arrive', async () => {
  const { ours, theirs } = channels();
  const [here, there] = [heardBy(ours), heardBy(theirs)];
  ours.endpoint.postMessage({ id: 'good', path: ['m'] });
  ours.endpoint.postMessage({ id: 'bad', path: ['m'], argument: () => 1 });
  ours.endpoint.postMessage({ id: 'good too', path: ['m'] });
  await settle();
  assert.deepEqual(
    there.map((message) => (message as { id: string }).id),
    ['good', 'good too'],
  );
  const [answer] = here as { id: string; type: string; value: { ok: boolean; fault: { code: string } } }[];
  assert.deepEqual([here.length, answer?.id, answer?.type, answer?.value.ok, answer?.value.fault.code], [1, 'bad', 'RAW', false, 'INTERNAL']);
});

test('an answer that cannot be sent becomes a fault for its caller', async () => {
  const { ours, theirs } = channels();
  const heard = heardBy(theirs) as { id: string; value: { fault: { code: string } } }[];
  ours.endpoint.postMessage({ id: 'call 7', value: () => 1 });
  await settle();
  assert.deepEqual(
    heard.map(({ id, value }) => [id, value.fault.code]),
    [['call 7', 'INTERNAL']],
  );
});

test('a close sends what is pending, tells both sides once, and nothing follows it', async () => {
  const { ours, theirs, wire } = channels();
  const heard = heardBy(theirs);
  const closed: string[] = [];
  ours.onClose(() => void closed.push('ours'));
  theirs.onClose(() => void closed.push('theirs'));
  ours.endpoint.postMessage({ id: 'last' });
  ours.close();
  ours.close();
  theirs.close();
  assert.equal(wire.isClosed, true);
  ours.endpoint.postMessage({ id: 'too late' });
  ours.control({ kind: 'too late' });
  ours.flush();
  await settle();
  assert.deepEqual(heard, [{ id: 'last' }]);
  assert.deepEqual(closed.sort(), ['ours', 'theirs']);
});

test('a listener that was taken away hears nothing more; so does what listens to messages', async () => {
  const [one, other] = wires();
  const [ours, theirs] = [openChannel(one), openChannel(other)];
  const heard: Control[] = [];
  const stop = theirs.onControl((control) => void heard.push(control));
  const listener = (event: { data: Control }) => void heard.push(event.data);
  theirs.endpoint.addEventListener('message', listener as never);
  ours.control({ kind: 'one' });
  await settle();
  stop();
  theirs.endpoint.removeEventListener('message', listener as never);
  ours.control({ kind: 'two' });
  ours.endpoint.postMessage({ id: 'three' });
  await settle();
  assert.deepEqual(heard, [{ kind: 'one' }]);
});

test.run();
