// The stream actor in its own threads: parts from several threads, limits, time, and what is left after a crash.
import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { test } from 'uvu';
import { STREAM_LIMITS, type StreamApi, type StreamArgs, type StreamOwner, type StreamStart } from '../../../actors/stream/api.ts';
import { pinned, sharded } from '../../../kernel/actor.ts';
import { hex, utf8 } from '../../fakes/keys.ts';
import type { StreamCallerApi, Told } from '../../fakes/stream-caller.actor.ts';
import { createRuntime, outcome, until } from '../../runtime.ts';

const restart = { max: 20, withinMs: 60_000, firstDelayMs: 10, maxDelayMs: 50, retryMs: 60_000 };
const { runtime, ref } = createRuntime({
  streams: sharded<StreamApi, StreamArgs>({
    module: new URL('../../../actors/stream/stream.actor.ts', import.meta.url),
    shards: 2,
    args: { streamsPerUser: 3, inputBytes: 1000 },
    deadlineMs: 5_000,
    restart,
  }),
  caller: pinned<StreamCallerApi, null>({
    module: new URL('../../fakes/stream-caller.actor.ts', import.meta.url),
    instances: { a: null, b: null },
    deadlineMs: 10_000,
    peers: ['streams'],
    restart,
  }),
});

test.before(() => runtime.start());
test.after(() => runtime.stop());

const KEY = hex('00112233445566778899aabbccddeeff');
const IV = hex('000102030405060708090a0b');

const owner = (user: string): StreamOwner => ({ kind: 'Encrypt', user, object: 'k' });

function start(user: string): StreamStart {
  const inputs = { algorithm: 'AES', parameters: { blockCipherMode: 'GCM' }, key: KEY, iv: IV, aad: undefined, proof: undefined } as const;
  return { ...owner(user), ...inputs };
}

const caller = (key: 'a' | 'b') => ref('caller').at(key);
const none = () => new Uint8Array();

async function begun(user: string, data = utf8('one ')): Promise<Extract<Told, { value: Uint8Array }>> {
  const told = await caller('a').begin(start(user), data);
  if ('refused' in told) assert.fail(told.refused);
  return told;
}

test('the parts of one stream may come from different threads', async () => {
  for (const user of ['alice', 'bob', 'carol', 'dave']) {
    const first = await begun(user);
    const second = await caller('b').update(owner(user), first.value, utf8('two '));
    const last = await caller('a').finish(owner(user), first.value, utf8('three'));
    if ('refused' in second || 'refused' in last) return assert.fail('refused');
    const cipher = createCipheriv('aes-128-gcm', KEY, IV);
    const expected = new Uint8Array(Buffer.concat([cipher.update('one two three'), cipher.final()]));
    assert.deepEqual(new Uint8Array(Buffer.concat([first.data, second.data, last.data])), expected);
    assert.deepEqual(last.tag, new Uint8Array(cipher.getAuthTag()));
    assert.deepEqual(await caller('b').finish(owner(user), first.value, none()), { refused: 'InvalidCorrelationValue' });
  }
});

test('the key stays with the caller: its copy is what goes away', async () => {
  await begun('erin');
  assert.deepEqual(KEY, hex('00112233445566778899aabbccddeeff'));
});

test('a stream can be abandoned once, by its user', async () => {
  const { value } = await begun('frank');
  assert.equal(await caller('a').abandon(owner('alice'), value), false);
  assert.equal(await caller('b').abandon(owner('frank'), value), true);
  assert.equal(await caller('b').abandon(owner('frank'), value), false);
});

test('limits of a user hold from whatever thread', async () => {
  const open = [await begun('grace'), await begun('grace'), await begun('grace')];
  assert.deepEqual(await caller('b').begin(start('grace'), none()), { refused: 'ServerLimitExceeded' });
  await begun('heidi');
  assert.deepEqual(await caller('b').update(owner('grace'), open[0]?.value as Uint8Array, new Uint8Array(997)), { refused: 'ServerLimitExceeded' });
  await begun('grace');
});

test('what does not fit is refused and takes no place', async () => {
  for (let i = 0; i < 5; i++)
    assert.deepEqual(await caller('a').begin({ ...start('ivan'), parameters: { blockCipherMode: 'CCM' } }, none()), {
      refused: 'UnsupportedCryptographicParameters',
    });
  for (let i = 0; i < 3; i++) await begun('ivan');
});

test('an idle stream ends after five minutes, by the sweep as well, and one in use does not', async () => {
  const [idle, used] = [await begun('judy'), await begun('judy')];
  await runtime.advance(200_000);
  await caller('a').update(owner('judy'), used.value, utf8('still'));
  await runtime.advance(101_000);
  assert.deepEqual(await caller('a').update(owner('judy'), idle.value, utf8('late')), { refused: 'InvalidCorrelationValue' });
  assert.ok('data' in (await caller('a').update(owner('judy'), used.value, utf8('still'))));
  await runtime.advance(STREAM_LIMITS.idleMs + 1000);
  await until(() => counts().every((count) => count === 0), 'the sweep has ended all streams');
});

/** Streams of each thread as it last reported. */
function counts(): number[] {
  return (runtime.groups.get('streams')?.supervisors ?? []).map((cell) => (cell.status?.detail as { streams: number } | undefined)?.streams ?? -1);
}

test('after the loss of the thread the stream is refused, and a new one works', async () => {
  const { value } = await begun('mallory');
  for (const cell of runtime.groups.get('streams')?.supervisors ?? []) await cell.incarnation?.kill();
  const member = async (name: string, call: Promise<unknown>) => name in Object(await outcome(call));
  // A call that is on its way while the thread dies is lost with it.
  await until(() => member('refused', caller('a').update(owner('mallory'), value, utf8('x'))), 'the stream is refused');
  await until(() => member('data', caller('a').begin(start('mallory'), utf8('x'))), 'streams begin again');
  assert.deepEqual(await caller('a').update(owner('mallory'), value, utf8('x')), { refused: 'InvalidCorrelationValue' });
});

test.run();
