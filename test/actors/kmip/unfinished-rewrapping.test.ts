// A ReKey that is killed on the way: a later look goes on with what is wrapped by the old key, which cannot be destroyed before. Over a real store.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { BatchContext } from '../../../actors/kmip/context.ts';
import { deleteKey } from '../../../actors/kmip/jose/delete-key.ts';
import { serve } from '../../../actors/kmip/message/serve.ts';
import { rotateDue } from '../../../actors/kmip/rotation.ts';
import type { KeyServer } from '../../../actors/kmip/server.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { boolean, type Node, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { WORKING_VERSION } from '../../../kmip/version.ts';
import { type Item, readAnswer } from '../../fuzz/answer.ts';
import { ALICE, NOW, openFuzzedServer } from '../../fuzz/key-server.ts';
import { active, aes, attributes, code, id, vendor } from '../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../fuzz/objects.ts';

const world = await openFuzzedServer();
test.after(() => world.end());

const OBJECTS = 120;
const [CRASHED, NOT_YET, LATER] = [0, 299_000, 301_000];

async function ask(server: KeyServer, ...items: Node[]): Promise<readonly Item[]> {
  const message = encodeBinary(requestMessage({ major: 2, minor: 1 }, items));
  return readAnswer(await serve(server, message, 'binary', 'any', ALICE), 'binary').items;
}

async function done(server: KeyServer, ...items: Node[]): Promise<Structure> {
  const answers = await ask(server, ...items);
  for (const { message, reason } of answers) assert.equal(reason, undefined, message);
  return required(answers.at(-1)?.payload, TAG.ResponsePayload);
}

const create = (name: string) => batchItem('Create', [code('ObjectType', 'SymmetricKey'), attributes(id(name), ...aes(256, active).value)]);
const by = (name: string) => structure(TAG.KeyWrappingSpecification, [code('WrappingMethod', 'Encrypt'), structure(TAG.EncryptionKeyInformation, [id(name)])]);
const revoke = (name: string) => batchItem('Revoke', [id(name), structure(TAG.RevocationReason, [code('RevocationReasonCode', 'CessationOfOperation')])]);
const at = async (moment: number): Promise<KeyServer> => ({ ...(await world.fresh()), now: () => NOW + moment });
const countOf = async (wrapper: string, { store }: KeyServer) =>
  (await store.all('SELECT object_id FROM kms_attribute WHERE tag = $1 AND value = $2', [TAG.KeyWrappingData, wrapper])).length;

/** Many keys that are stored wrapped by one, which is replaced by a server that writes no more after so many changes. @returns the replacement */
async function crashedReKey(name: string, changes: number): Promise<string> {
  const server = await at(CRASHED);
  const got = await done(server, create(name), create(`${name} key`), batchItem('Get', [id(`${name} key`), by(name)]));
  const content = required(structureOf(got, TAG.SymmetricKey), TAG.SymmetricKey);
  const register = (n: number) =>
    batchItem('Register', [code('ObjectType', 'SymmetricKey'), attributes(id(`${name} ${n}`), ...aes(256, active).value), content]);
  await done(server, ...Array.from({ length: OBJECTS }, (_, n) => register(n)));
  let left = changes;
  const transaction: Store['transaction'] = async (work, options) => {
    if (left === 0) throw new Error('killed');
    const made = await server.store.transaction(work, options);
    left -= 1;
    return made;
  };
  const dying = { ...server, store: Object.create(server.store, { transaction: { value: transaction } }) as Store };
  return required(textOf(await done(dying, batchItem('ReKey', [id(name)])), TAG.UniqueIdentifier), TAG.UniqueIdentifier);
}

const opened = async (server: KeyServer, name: string) => done(server, batchItem('Get', [id(name), code('KeyWrapType', 'NotWrapped')]));

test('what a killed ReKey has left is wrapped by the replacement later, and then nothing is noted any more', async () => {
  const replacement = await crashedReKey('first', 2);
  assert.match(world.said(), /"left":20\b.*the server will try again/);
  const count = async (server: KeyServer) => [await countOf('first', server), await countOf(replacement, server)];
  const early = await at(NOT_YET);
  await rotateDue(early);
  assert.deepEqual(await count(early), [20, 100], 'whoever has begun may be at it');
  const later = await at(LATER);
  await Promise.all([rotateDue(later), rotateDue(later)]);
  assert.deepEqual(await count(later), [0, OBJECTS]);
  assert.deepEqual(await later.store.all('SELECT * FROM kms_rewrapping'), []);
  await done(later, revoke('first'), batchItem('Destroy', [id('first')]));
  for (const n of [0, OBJECTS - 1]) await opened(later, `first ${n}`);
});

test('objects of a replacement that was itself replaced in the meantime go on to the next', async () => {
  const second = await crashedReKey('second', 1);
  const later = await at(LATER);
  const third = required(textOf(await done(later, batchItem('ReKey', [id(second)])), TAG.UniqueIdentifier), TAG.UniqueIdentifier);
  await rotateDue(later);
  await rotateDue(await at(2 * LATER));
  const counts = await Promise.all(['second', second, third].map((name) => countOf(name, later)));
  assert.deepEqual(counts, [0, 0, OBJECTS]);
  assert.deepEqual(await later.store.all('SELECT * FROM kms_rewrapping'), []);
});

test('a key that was replaced is not destroyed before its objects are wrapped by another, or are gone', async () => {
  await crashedReKey('third', 2);
  const server = await at(NOT_YET);
  await done(server, revoke('third'));
  const [refused] = await ask(server, batchItem('Destroy', [id('third')]));
  assert.equal(refused?.reason, 'WrongKeyLifecycleState');
  assert.match(refused?.message ?? '', /objects are stored wrapped by third/);
  const ids = Array.from({ length: OBJECTS }, (_, n) => `third ${n}`);
  await done(server, ...ids.flatMap((name) => [revoke(name), batchItem('Destroy', [id(name)])]));
  await done(server, batchItem('Destroy', [id('third')]));
  await rotateDue(await at(LATER));
  assert.deepEqual(await server.store.all('SELECT * FROM kms_rewrapping'), []);
});

test('an object that came wrapped needs its key also where it says that it is to be given out so', async () => {
  const server = await at(CRASHED);
  const got = await done(server, create('sixth'), create('sixth key'), batchItem('Get', [id('sixth key'), by('sixth')]));
  const content = required(structureOf(got, TAG.SymmetricKey), TAG.SymmetricKey);
  const named = attributes(id('sixth 0'), ...aes(256, active).value, vendor('wrapping_key_id', 'sixth'));
  await done(server, batchItem('Register', [code('ObjectType', 'SymmetricKey'), named, content]));
  await assert.rejects(deleteKey('sixth', new BatchContext(server, ALICE, WORKING_VERSION)), /objects are stored wrapped by sixth/);
});

test('another key that got the identifier of the old one meanwhile keeps what it has wrapped', async () => {
  await crashedReKey('fifth', 1);
  const server = await at(NOT_YET);
  const remove = (name: string) => batchItem('Destroy', [id(name), boolean(TAG.Remove, true)]);
  const ids = Array.from({ length: OBJECTS }, (_, n) => `fifth ${n}`);
  for (const name of [...ids, 'fifth']) await done(server, revoke(name), remove(name));
  const got = await done(server, create('fifth'), batchItem('Get', [id('fifth key'), by('fifth')]));
  const content = required(structureOf(got, TAG.SymmetricKey), TAG.SymmetricKey);
  await done(server, batchItem('Register', [code('ObjectType', 'SymmetricKey'), attributes(id('fifth 0'), ...aes(256, active).value), content]));
  await rotateDue(await at(LATER));
  assert.equal(await countOf('fifth', server), 1);
  assert.deepEqual(await server.store.all('SELECT * FROM kms_rewrapping'), []);
});

test('one that was not replaced is destroyed with what it has wrapped once it is revoked', async () => {
  const server = await at(CRASHED);
  const got = await done(server, create('fourth'), create('fourth key'), batchItem('Get', [id('fourth key'), by('fourth')]));
  const content = required(structureOf(got, TAG.SymmetricKey), TAG.SymmetricKey);
  await done(server, batchItem('Register', [code('ObjectType', 'SymmetricKey'), attributes(id('fourth 0'), ...aes(256, active).value), content]));
  await done(server, revoke('fourth'), batchItem('Destroy', [id('fourth')]));
});

test.run();
