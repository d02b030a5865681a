// What one user can make the key server do for one message: its time, its answer and what it stores come to an end.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createAccess } from '../../../../actors/kmip/access.ts';
import { serve } from '../../../../actors/kmip/message/serve.ts';
import { rotateDue } from '../../../../actors/kmip/rotation.ts';
import type { KeyServer } from '../../../../actors/kmip/server.ts';
import { encodeBinary } from '../../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../../kmip/ttlv/enumeration.ts';
import { boolean, enumeration, integer, interval, type Node, structure, text } from '../../../../kmip/ttlv/node.ts';
import { TAG } from '../../../../kmip/ttlv/tag.ts';
import { type Item, readAnswer } from '../../../fuzz/answer.ts';
import { ALICE, NOW, openFuzzedServer } from '../../../fuzz/key-server.ts';
import { active, attributes, code, id, newAttribute, opaque, vendor } from '../../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../../fuzz/objects.ts';

const world = await openFuzzedServer();
test.after(() => world.end());
const LAST = { major: 2, minor: 1 };
const MIB = 1_048_576;
const HOUR_MS = 3_600_000;

async function send(server: KeyServer, items: readonly Node[], onError: keyof typeof ENUM.BatchErrorContinuationOption = 'Continue'): Promise<readonly Item[]> {
  const option = enumeration(TAG.BatchErrorContinuationOption, ENUM.BatchErrorContinuationOption[onError]);
  const message = encodeBinary(requestMessage(LAST, items, [option]));
  return readAnswer(await serve(server, message, 'binary', 'any', ALICE), 'binary').items;
}

/** Every item of a batch takes some time, because it looks at the clock; the wall clock is set forward and back by an hour meanwhile. */
async function slow(milliseconds: number, wallMs = NOW): Promise<KeyServer> {
  let [monotonic, looks] = [0, 0];
  const now = () => wallMs + (looks++ % 2) * HOUR_MS;
  return { ...(await world.fresh()), now, monotonic: () => (monotonic += milliseconds) };
}

const create = (name: string) =>
  batchItem('Create', [code('ObjectType', 'SymmetricKey'), attributes(code('CryptographicAlgorithm', 'AES'), text(TAG.UniqueIdentifier, name))]);
const succeeded = (items: readonly Item[]) => items.filter(({ status }) => status === ENUM.ResultStatus.Success).length;

test('a batch that takes too long begins no further item, and says so of each', async () => {
  const server = await slow(500);
  const items = await send(
    server,
    Array.from({ length: 100 }, (_, at) => create(`slow ${at}`)),
  );
  const done = succeeded(items);
  assert.ok(done > 5 && done < 50, String(done));
  for (const [at, { reason }] of items.entries()) assert.equal(reason, at < done ? undefined : 'ServerLimitExceeded');
  const there = await send(
    await world.fresh(),
    Array.from({ length: 100 }, (_, at) => batchItem('GetAttributeList', [id(`slow ${at}`)])),
  );
  assert.equal(succeeded(there), done, 'what was answered as done is done, and nothing else');
});

test('sooner where it may be undone, and then all of it is', async () => {
  const items = await send(
    await slow(500),
    Array.from({ length: 100 }, (_, at) => create(`undone ${at}`)),
    'Undo',
  );
  assert.equal(succeeded(items), 0);
  assert.equal(items.at(-1)?.reason, 'ServerLimitExceeded');
  assert.ok(items.length < 15, String(items.length));
  assert.equal((await send(await world.fresh(), [batchItem('Get', [id('undone 0')])]))[0]?.reason, 'ObjectNotFound');
});

test('a batch of the usual kind has all the time it needs', async () => {
  const items = await send(
    await slow(2),
    Array.from({ length: 300 }, () => batchItem('RNGRetrieve', [integer(TAG.DataLength, 16)])),
  );
  assert.equal(succeeded(items), 300);
});

test('an answer holds no more than a request may, however often a batch asks for the same', async () => {
  const server = await world.fresh();
  const [made] = await send(server, [batchItem('Register', [code('ObjectType', 'OpaqueObject'), attributes(id('large')), opaque(new Uint8Array(12 * MIB))])]);
  assert.equal(made?.reason, undefined);
  const items = await send(
    server,
    Array.from({ length: 1_000 }, () => batchItem('Get', [id('large')])),
  );
  assert.deepEqual([succeeded(items), items.length], [5, 1_000]);
  for (const { reason } of items.slice(5)) assert.equal(reason, 'ResponseTooLarge');
});

const comment = (bytes: number) => text(TAG.Comment, 'x'.repeat(bytes));
const tags = (count: number) => vendor('tag', JSON.stringify(Array.from({ length: count }, (_, at) => `tag ${at}`)));

test('the attributes of an object have an end, however they came to it', async () => {
  const server = await world.fresh();
  const reasonOf = async (...item: Parameters<typeof batchItem>) => (await send(server, [batchItem(...item)]))[0]?.reason;
  const key = (...more: Node[]) => [code('ObjectType', 'SymmetricKey'), attributes(code('CryptographicAlgorithm', 'AES'), ...more)] as const;
  assert.equal(await reasonOf('Create', key(id('full'), comment(MIB / 4 - 4_096))), undefined);
  for (const far of [[comment(MIB / 4)], Array.from({ length: 5 }, (_, at) => vendor(`v${at}`, 'x'.repeat(60_000))), [tags(257)]])
    assert.equal(await reasonOf('Create', key(...far)), 'ServerLimitExceeded');
  assert.equal(await reasonOf('AddAttribute', [id('full'), newAttribute(vendor('more', 'x'.repeat(8_192)))]), 'ServerLimitExceeded');
  assert.equal(await reasonOf('SetAttribute', [id('full'), newAttribute(tags(257))]), 'ServerLimitExceeded');
  assert.equal(await reasonOf('SetAttribute', [id('full'), newAttribute(tags(2))]), undefined);
  const reason = structure(TAG.RevocationReason, [code('RevocationReasonCode', 'KeyCompromise')]);
  assert.equal(await reasonOf('Activate', [id('full')]), undefined, 'the server goes on managing it');
  assert.equal(await reasonOf('Revoke', [id('full'), reason]), undefined);
});

test('large objects are not held in memory, small ones are, as long as there is room', async () => {
  const { cache, ...server } = await world.fresh();
  const all = { ...server, cache };
  const register = (name: string, bytes: number) =>
    batchItem('Register', [code('ObjectType', 'OpaqueObject'), attributes(id(name)), opaque(new Uint8Array(bytes))]);
  const middle = (from: number) => Array.from({ length: 150 }, (_, at) => register(`middle ${from + at}`, MIB / 4 - 1_024));
  for (const items of [[register('big', MIB), register('small', 64)], middle(0), middle(150)]) await send(all, items);
  for (const name of ['small', 'big']) assert.equal((await cache.get(name, true))?.object.id, name);
  assert.ok(cache.peek('small'));
  // Of the large one only what describes it.
  assert.deepEqual([...['small', 'big'].map((name) => 'content' in (cache.peek(name)?.object ?? {}))], [true, false]);
  for (let at = 0; at < 300; at++) await cache.get(`middle ${at}`, true);
  // What was used outlasts what is looked at once.
  const held = ['small', 'middle 0', 'middle 299'].filter((name) => cache.peek(name));
  assert.deepEqual(held, ['small', 'middle 299']);
});

test('an object is granted to so many and no more', async () => {
  const server = await world.fresh();
  await send(server, [create('shared')]);
  const grant = (user: string) => createAccess(server).grant('shared', user, ['encrypt'], ALICE);
  const shared = await server.rows.read(server.store, 'shared');
  assert.ok(shared);
  const many = new Map(Array.from({ length: 10_000 }, (_, at) => [`user ${at}`, new Set(['mac'])]));
  await server.store.transaction((tx) => server.rows.grants.writeAll(tx, 'shared', server.rows.markOf(shared), many));
  await assert.rejects(grant('one more'), { code: 'KEYS_REFUSED' });
  await grant('user 7');
  await createAccess(server).revoke('shared', 'user 8', ['mac'], ALICE);
  await grant('one more');
});

test('rotations that take too long go on with the next look, where they were', async () => {
  const due = attributes(code('CryptographicAlgorithm', 'AES'), active, interval(TAG.RotateInterval, 1_000_000), boolean(TAG.RotateAutomatic, true));
  const many = Array.from({ length: 100 }, () => batchItem('Create', [code('ObjectType', 'SymmetricKey'), due]));
  assert.equal(succeeded(await send(await world.fresh(), many)), 100);
  const later = await slow(8_000, NOW + 2_000_000_000);
  const looks: number[] = [];
  for (let look = 0; look < 50 && looks.at(-1) !== 0; look++) looks.push(await rotateDue(later));
  assert.equal(
    looks.reduce((sum, count) => sum + count, 0),
    100,
  );
  assert.ok((looks[0] as number) < 50, String(looks));
});

test.run();
