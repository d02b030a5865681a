// One object that is granted to as many as it can be: one more is refused, until there is room; changes for those who have a right go on.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { ObjectRows } from '../../../actors/kmip/object/rows/rows.ts';
import { DataKey } from '../../../kernel/keys/data-key.ts';
import { ALICE } from '../../fakes/objects.ts';
import { aesKey, startKeyServer } from './key-server.ts';

const MOST = 10_000;
const BIRTHDAY = 2 ** 28;
const server = await startKeyServer({ threads: 1 });
const { kmip, made, store } = server;
test.after(() => server.end());

test('ten thousand users and realms have a right on one object, and no more', async () => {
  const id = await made('Create', aesKey());
  // Ten thousand requests would each read what those before have granted: the rows are written as the server writes them.
  const rows = new ObjectRows(new DataKey('keys', new Uint8Array(32), () => 1, BIRTHDAY), () => 1);
  const object = await rows.describe(store, id);
  assert.ok(object);
  const users = Array.from({ length: MOST - 1 }, (_, n) => `user${n}`);
  const right = new Set(['get']);
  await store.transaction((tx) => rows.grants.writeAll(tx, id, rows.markOf(object.object), new Map(users.map((user) => [user, right]))));
  await kmip.grant(id, 'last', ['get'], ALICE);
  await assert.rejects(kmip.grant(id, 'one more', ['get'], ALICE), { code: 'KEYS_REFUSED', detail: /^Server_Limit_Exceeded: .* 10000 users/ });
  await assert.rejects(kmip.grant(id, '*', ['get'], ALICE), { code: 'KEYS_REFUSED' });
  await kmip.grant(id, 'user0', ['encrypt'], ALICE);
  await kmip.revoke(id, 'user1', ['get'], ALICE);
  await kmip.grant(id, 'one more', ['get'], ALICE);
  await assert.rejects(kmip.grant(id, 'user1', ['get'], ALICE), { code: 'KEYS_REFUSED' });
  const { items } = await kmip.grantees(id, ALICE, { limit: 3, after: undefined, names: 'profile' });
  assert.deepEqual(items, [
    { user_id: 'last', operations: ['get'] },
    { user_id: 'one more', operations: ['get'] },
    { user_id: 'user0', operations: ['encrypt', 'get'] },
  ]);
});

test.run();
