// One object that is granted to as many as it can be: one more is refused, until there is room; changes for those who have a right go on.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { databaseObjects } from '../../../actors/kmip/object/database-objects.ts';
import { ObjectRows } from '../../../actors/kmip/object/rows/rows.ts';
import { DataKey } from '../../../kernel/keys/data-key.ts';
import { endName, holdName } from '../../../kernel/store/accounts.ts';
import type { Transaction } from '../../../kernel/store/store.ts';
import { ALICE, draft } from '../../fakes/objects.ts';
import { aesKey, startKeyServer } from './key-server.ts';

const MOST = 10_000;
const BIRTHDAY = 2 ** 28;
const server = await startKeyServer({ threads: 1 });
const { kmip, made, store } = server;
test.after(() => server.end());
const rows = new ObjectRows(new DataKey('keys', new Uint8Array(32), () => 1, BIRTHDAY), () => 1);
const id = await made('Create', aesKey());

test('ten thousand users and realms have a right on one object, and no more', async () => {
  // Ten thousand requests would take long: the rows are written as the server writes them.
  const object = await rows.describe(store, id);
  assert.ok(object);
  const users = [...Array.from({ length: MOST - 2 }, (_, n) => `user${n}`), 'zoe/gone'];
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
  await store.transaction(async (tx) => {
    await holdName(tx, 'zoe/gone');
    await endName(tx, 'zoe/gone', 1);
  });
  await kmip.grant(id, 'user1', ['get'], ALICE);
  await assert.rejects(kmip.grant(id, 'zoe/other', ['get'], ALICE), { code: 'KEYS_REFUSED' });
});

test('a change reads the grants of its caller alone, and a replacement gets all in a few statements', async () => {
  const { within } = databaseObjects({ rows, store } as Parameters<typeof databaseObjects>[0]);
  await store.transaction(async (tx) => {
    const { counted, count } = counting(tx);
    const grantsFor = async (user: string) => (await within(counted, { ...ALICE, user }).held(id, false))?.grants;
    assert.deepEqual(await grantsFor('user7'), new Map([['user7', new Set(['get'])]]));
    assert.deepEqual(await grantsFor(ALICE.user), new Map());
    assert.ok(count.rows < 10, `${count.rows} rows`);
    const old = await rows.describe(tx, id);
    const replacement = draft('replacement');
    await rows.insert(tx, replacement);
    count.statements = 0;
    assert.ok(old);
    await within(counted).copyGrants(old.object, replacement);
    assert.ok(count.statements < 300, `${count.statements} statements`);
    assert.equal((await rows.grantsOf(tx, replacement)).size, MOST);
  });
});

/** Counts what goes to the database and what comes back. */
function counting(tx: Transaction) {
  const count = { statements: 0, rows: 0 };
  const asked = <A extends unknown[], T>(run: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      const answer = await run(...args);
      count.statements += 1;
      count.rows += Array.isArray(answer) ? answer.length : 1;
      return answer;
    };
  };
  const counted = { ...tx, run: asked(tx.run), all: asked(tx.all), get: asked(tx.get) } as Transaction;
  return { counted, count };
}

test.run();
