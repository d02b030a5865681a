// Describing objects reads nothing of what is in them: lists, searches and changes of attributes cost the same whatever the size of the contents.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import { ContentRoom } from '../../actors/kmip/object/rows/content-room.ts';
import { decodeBinary, encodeBinary } from '../../kmip/ttlv/binary.ts';
import * as make from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { type SecureServer, startSecureServer } from '../secure-server.ts';
import type { Answer, Ask } from '../server.ts';

type Json = { readonly tag: string; readonly type?: string; readonly value: unknown };
const enumeration = (tag: string, value: string): Json => ({ tag, type: 'Enumeration', value });
const integer = (tag: string, value: number): Json => ({ tag, type: 'Integer', value });
const text = (tag: string, value: string): Json => ({ tag, type: 'TextString', value });
const structure = (tag: string, ...value: Json[]): Json => ({ tag, value });
const id = (value: string) => text('UniqueIdentifier', value);

const MIB = 1_048_576;
const OBJECTS = 30;
const CONTENT_BYTES = 16 * MIB;
/** All contents together have several times as much. */
const MAX_GROWTH_BYTES = 120 * MIB;

let server: SecureServer;
let owner: Ask;
let other: Ask;
const ids: string[] = [];
const kmip = (as: Ask, operation: string, ...value: Json[]) => as('POST', '/kmip/2_1', { body: { tag: operation, value } });

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const { status, text: body } = await answer;
  assert.equal(status, 200, body);
  return answer;
}

/** Keys that the server has made, of which each row then gets a content that is large, and opens with no key. */
test.before(async () => {
  server = await startSecureServer({ config: '[keys]\nrotation_check_seconds = 1\n' });
  [owner, other] = [server.as(await server.client('owner')), server.as(await server.client('other'))];
  const attributes = [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 12)];
  for (let at = 0; at < OBJECTS; at++) {
    const { body } = await ok(kmip(owner, 'Create', enumeration('ObjectType', 'SymmetricKey'), structure('Attributes', ...attributes)));
    ids.push(body.value.find(({ tag }: Json) => tag === 'UniqueIdentifier').value);
    await ok(owner('POST', '/access/grant', { body: { unique_identifier: ids[at], user_id: 'other', operation_types: ['getattributes'] } }));
  }
  const db = new DatabaseSync(join(dirname(server.file('beside', '')), 'data', 'gatehouse.db'), { timeout: 10_000 });
  for (const each of ids) db.prepare('UPDATE kms_object SET content = zeroblob(?) WHERE id = ?').run(CONTENT_BYTES, each);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
});
test.after(() => server?.end());

/** How much more memory the process had than before, at any moment of the work; its threads are in it. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  await work();
  clearInterval(timer);
  return Math.max(most, process.memoryUsage.rss()) - before;
}

const MASK = structure('Attributes', integer('CryptographicUsageMask', 12));
const LISTS: readonly (readonly [string, () => Promise<Answer>])[] = [
  ['/access/owned', () => ok(owner('GET', '/access/owned'))],
  ['/access/obtained', () => ok(other('GET', '/access/obtained'))],
  ['Locate by what no index knows', () => ok(kmip(owner, 'Locate', MASK))],
  ['Locate of what others have granted', () => ok(kmip(other, 'Locate', MASK))],
];

for (const [title, ask] of LISTS)
  test(`${title} reads no content`, async () => {
    let answer: Answer | undefined;
    const grown = await growth(async () => {
      answer = await ask();
    });
    const found = Array.isArray(answer?.body) ? answer.body.length : answer?.body.value.filter(({ tag }: Json) => tag === 'UniqueIdentifier').length;
    assert.equal(found, OBJECTS);
    assert.ok(grown < MAX_GROWTH_BYTES, `${Math.round(grown / MIB)} MiB for ${answer?.text.length} bytes`);
  });

test('whatever only describes or changes what describes an object does not read its content', async () => {
  const one = ids[0] as string;
  const grown = await growth(async () => {
    for (const [operation, ...more] of [
      ['GetAttributes'],
      ['GetAttributeList'],
      ['Check', integer('CryptographicUsageMask', 4)],
      ['ObtainLease'],
      ['AddAttribute', structure('NewAttribute', text('Comment', 'a comment'))],
      ['ModifyAttribute', structure('NewAttribute', text('Comment', 'another comment'))],
      ['SetAttribute', structure('NewAttribute', text('Description', 'a description'))],
      ['DeleteAttribute', structure('AttributeReference', enumeration('AttributeReference', 'Comment'))],
      ['Archive'],
      ['Recover'],
      ['Activate'],
    ] as readonly [string, ...Json[]][]) {
      const members = operation === 'DeleteAttribute' ? [enumeration('AttributeReference', 'Comment')] : more;
      const { status, text: body } = await kmip(owner, operation, id(one), ...members);
      assert.equal(status, 200, `${operation}: ${body}`);
    }
    await ok(owner('POST', '/access/check', { body: { unique_identifier: one, operation_types: ['get'] } }));
    await ok(owner('GET', `/access/list/${one}`));
    await ok(owner('POST', '/access/revoke', { body: { unique_identifier: one, user_id: 'other', operation_types: ['getattributes'] } }));
    await ok(owner('GET', `/v1/crypto/keys/${one}/tags`));
    await ok(owner('POST', `/v1/crypto/keys/${one}/tags`, { body: { tags: ['one'] } }));
    await ok(kmip(owner, 'Revoke', id(one), structure('RevocationReason', enumeration('RevocationReasonCode', 'CessationOfOperation'))));
    await ok(kmip(owner, 'Destroy', id(one)));
  });
  assert.ok(grown < MAX_GROWTH_BYTES, `${Math.round(grown / MIB)} MiB`);
  // Using is another matter: what was put in its place is refused.
  const used = await kmip(owner, 'Get', id(ids[1] as string));
  assert.equal(used.status, 422, used.text);
});

test('who may not use an object does not make the server read it', async () => {
  const grown = await growth(async () => {
    await Promise.all(ids.slice(1).map(async (each) => assert.equal((await kmip(other, 'Get', id(each))).status, 422)));
  });
  assert.ok(grown < MAX_GROWTH_BYTES, `${Math.round(grown / MIB)} MiB`);
});

test('a date that passes is noted without the content', async () => {
  const due = ids.slice(1, 11);
  const soon = new Date(server.clock.now() + 60_000).toISOString();
  for (const each of due) await ok(kmip(owner, 'AddAttribute', id(each), structure('NewAttribute', { tag: 'ActivationDate', type: 'DateTime', value: soon })));
  const db = new DatabaseSync(join(dirname(server.file('beside', '')), 'data', 'gatehouse.db'), { readOnly: true });
  const noted = () =>
    db
      .prepare('SELECT id FROM kms_object WHERE state = 2')
      .all()
      .filter((row) => due.includes(row['id'] as string)).length;
  assert.equal(noted(), 0);
  const grown = await growth(async () => {
    await server.runtime.advance(61_000);
    for (let tries = 0; tries < 500 && noted() < due.length; tries++) await wait(20);
  });
  assert.equal(noted(), due.length);
  db.close();
  assert.ok(grown < MAX_GROWTH_BYTES, `${Math.round(grown / MIB)} MiB`);
});

test('large contents in use share a limit of bytes: others wait, and the user with least open goes first', async () => {
  const room = new ContentRoom(() => undefined, 100);
  const told: string[] = [];
  const open = (user: string, bytes: number, name = user) => {
    const opening = room.begin(user);
    return { opening, taken: opening.take(bytes).then(() => void told.push(name)) };
  };
  const [first, second] = [open('alice', 60), open('alice', 30)];
  await Promise.all([first.taken, second.taken]);
  const [third, fourth] = [open('alice', 50, 'alice again'), open('bob', 50)];
  await new Promise(setImmediate);
  assert.deepEqual([told, room.openBytes], [['alice', 'alice'], 90]);
  first.opening.end();
  await fourth.taken;
  assert.deepEqual(told, ['alice', 'alice', 'bob'], 'who has nothing open comes first');
  // One call may go beyond the room, so that no two wait for each other.
  await second.opening.take(80);
  assert.equal(room.openBytes, 160);
  const beyond = fourth.opening.take(10).then(() => void told.push('bob again'));
  await new Promise(setImmediate);
  assert.equal(told.length, 3);
  second.opening.end();
  await beyond;
  fourth.opening.keep(5);
  await third.taken;
  third.opening.end();
  fourth.opening.end();
  assert.equal(room.openBytes, 0);
  // Alone, a call has what it needs.
  await room.begin('carol').take(1_000);
});

test('the memory of a content is free when its call ends, without a garbage collection', () => {
  const content = decodeBinary(encodeBinary(make.structure(TAG.OpaqueObject, [make.bytes(TAG.OpaqueDataValue, new Uint8Array(MIB).fill(1))])));
  const [{ value }] = content.value as unknown as [{ value: Uint8Array }];
  const opening = new ContentRoom(() => undefined).begin('alice');
  opening.hold(content);
  opening.keep(0);
  assert.equal(value.length, MIB);
  opening.end();
  assert.equal(value.buffer.byteLength, 0);
});

test.run();
