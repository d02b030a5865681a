// What is due by a date: only objects for which the look at it does something, over a real store.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { serve } from '../../../actors/kmip/message/serve.ts';
import { rotateDue } from '../../../actors/kmip/rotation.ts';
import { encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { dateTime, interval, type Node } from '../../../kmip/ttlv/node.ts';
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

test.run();
