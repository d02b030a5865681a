// What is due by a date: only objects for which the look at it does something, over a real store.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../../actors/kmip/message/serve.ts';
import { rotateDue } from '../../../actors/kmip/rotation.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { dateTime, integer, interval, type Node, structure } from '../../../kmip/ttlv/node.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { readAnswer } from '../../fuzz/answer.ts';
import { ALICE, NOW, openFuzzedServer } from '../../fuzz/key-server.ts';
import { active, attributes, code, id, newAttribute, password, SECONDS } from '../../fuzz/members.ts';
import { batchItem, requestMessage } from '../../fuzz/objects.ts';

const world = await openFuzzedServer();
test.after(() => world.end());

const YEAR = 31_536_000;
const often = interval(TAG.RotateInterval, 60);
const key = (name: string, ...more: Node[]) =>
  batchItem('Create', [code('ObjectType', 'SymmetricKey'), attributes(id(name), code('CryptographicAlgorithm', 'AES'), ...more)]);
const secret = (name: string) =>
  batchItem('Register', [code('ObjectType', 'SecretData'), attributes(id(name), active, often), password(Buffer.from('correct horse'))]);

async function done(...items: Node[]): Promise<void> {
  const message = encodeBinary(requestMessage({ major: 2, minor: 1 }, items));
  for (const { message: told, reason } of readAnswer(await serve(await world.fresh(), message, 'binary', 'any', ALICE), 'binary').items)
    assert.equal(reason, undefined, told);
}

test('objects that no date changes and nothing rotates are looked at once at most, and not written', async () => {
  await done(key('not active', often), key('ended before', dateTime(TAG.DeactivationDate, SECONDS - YEAR)), secret('secret'));
  await done(batchItem('SetAttribute', [id('ended before'), newAttribute(often)]));
  const server = { ...(await world.fresh()), now: () => NOW + YEAR * 1_000 };
  const seen = () => server.store.all('SELECT id, due_at, changed_at FROM kms_object ORDER BY id');
  const before = await seen();
  assert.equal(before.length, 3);
  assert.equal(await rotateDue(server), 0);
  assert.deepEqual(await seen(), before);
  for (const { due_at } of before) assert.equal(due_at, null);
});

test('what begins later is due then, and rotates from then on', async () => {
  await done(key('later', dateTime(TAG.ActivationDate, SECONDS + 100), often));
  const at = async (seconds: number) => rotateDue({ ...(await world.fresh()), now: () => NOW + seconds * 1_000 });
  assert.equal(await at(50), 0);
  assert.equal(await at(200), 1, 'its interval counts from the day it was made');
});

test('objects that are due together are changed together, and a pair of keys alone; each is rotated once', async () => {
  const began = dateTime(TAG.ActivationDate, SECONDS - YEAR);
  const pair = batchItem('CreateKeyPair', [
    ...[TAG.PrivateKeyAttributes, TAG.PublicKeyAttributes].map((tag) => structure(tag, [began, ...(tag === TAG.PrivateKeyAttributes ? [often] : [])])),
    structure(TAG.CommonAttributes, [code('CryptographicAlgorithm', 'EC'), integer(TAG.CryptographicLength, 256)]),
  ]);
  const some = (name: string, count: number) => Array.from({ length: count }, (_, at) => key(`${name} ${at}`, began, often));
  await done(...some('before', 20), pair, ...some('behind', 3));
  const later = { ...(await world.fresh()), now: () => NOW + 100_000 };
  let [open, most] = [0, 0];
  const transaction = (...asked: Parameters<Store['transaction']>) => {
    most = Math.max(most, ++open);
    return later.store.transaction(...asked).finally(() => open--);
  };
  const server = { ...later, store: Object.create(later.store, { transaction: { value: transaction } }) as Store };
  const stored = async () => (await later.store.all('SELECT id FROM kms_object')).length;
  const before = await stored();
  assert.equal(await rotateDue(server), 24);
  assert.equal(most, 16);
  assert.equal(await stored(), before + 25, 'a pair has two');
  assert.equal(await rotateDue(server), 0);
});

test.run();
