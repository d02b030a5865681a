// Whoever writes the database past the server decides nothing about keys: a row, a grant or a term of the index that it did not write is not believed.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { createClock } from '../../kernel/clock.ts';
import { openStore } from '../../kernel/store/open.ts';
import type { SqlValue, Store } from '../../kernel/store/store.ts';
import { people } from '../people.ts';
import { until } from '../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();

test.after(async () => {
  for (const database of databases) await database.stop();
});

interface World {
  readonly server: TestServer;
  /** The database as somebody has it who knows its password, and no key of the server. */
  readonly outside: Store;
  write(sql: string, ...params: SqlValue[]): Promise<void>;
  /** Cookies of two users. */
  readonly ada: string;
  readonly bob: string;
  restart(): Promise<void>;
  end(): Promise<void>;
}

async function world(url: string, more: string): Promise<World> {
  const config = `[store]\nurl = "${url}"\n${more}`;
  let server = await startServer({ config });
  const { dataDir } = server;
  const they = people(server, await signInAdmin(server));
  await they.realm('team');
  for (const name of ['ada', 'bob']) await they.user('team', name, `${name} password`);
  const outside = await openStore(url.startsWith('sqlite:') ? `sqlite:${dataDir}/${url.slice(7)}` : url, { writer: 'outside', clock: createClock() });
  const first = server;
  return {
    get server() {
      return server;
    },
    outside,
    write: (sql, ...params) => outside.transaction(async (tx) => void (await tx.run(sql, params))),
    ada: await they.session('team', 'ada', 'ada password'),
    bob: await they.session('team', 'bob', 'bob password'),
    async restart() {
      await server.stop();
      server = await startServer({ config, dataDir });
    },
    async end() {
      await outside.close();
      if (server !== first) await server.end();
      await first.end();
    },
  };
}

const TEXT = 'aGVsbG8';

async function newKey({ server }: World, cookie: string, members: Record<string, unknown> = {}): Promise<string> {
  const made = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM', ...members } });
  assert.equal(made.status, 200, made.text);
  return made.body.kid as string;
}

/** Statuses of using a key and of describing it. */
async function uses({ server }: World, cookie: string, kid: string): Promise<number[]> {
  const encrypted = await server.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: TEXT } });
  const got = await server.ask('POST', '/kmip/2_1', { cookie, body: { tag: 'Get', value: [{ tag: 'UniqueIdentifier', type: 'TextString', value: kid }] } });
  return [encrypted.status, got.status];
}

const USED = [200, 200];
const ABSENT = [404, 422];

async function located({ server }: World, cookie: string, members: unknown[] = []): Promise<string[]> {
  const attributes = members.length === 0 ? [] : [{ tag: 'Attributes', value: members }];
  const answer = await server.ask('POST', '/kmip/2_1', { cookie, body: { tag: 'Locate', value: attributes } });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.value.filter(({ tag }: { tag: string }) => tag === 'UniqueIdentifier').map(({ value }: { value: string }) => value);
}

async function listed({ server }: World, cookie: string, list: 'owned' | 'obtained'): Promise<string[]> {
  const answer = await server.ask('GET', `/access/${list}`, { cookie });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.map(({ object_id: id }: { object_id: string }) => id);
}

async function grant({ server }: World, verb: 'grant' | 'revoke', cookie: string, kid: string, user: string, operations: string[]): Promise<void> {
  const answer = await server.ask('POST', `/access/${verb}`, { cookie, body: { unique_identifier: kid, user_id: user, operation_types: operations } });
  assert.equal(answer.status, 200, answer.text);
}

const audited = async ({ outside }: World, id: string) =>
  (await outside.all<{ reason: string }>("SELECT reason FROM audit WHERE event = 'key.forged' AND target = $1", [id])).map(({ reason }) => reason);

for (const database of databases) {
  const on = (what: string, run: (it: World) => Promise<void>, config = '') =>
    test(`${database.dialect}: ${what}`, async () => {
      const it = await world(database.dialect === 'sqlite' ? 'sqlite:gatehouse.db' : await database.url(), config);
      try {
        await run(it);
      } finally {
        await it.end();
      }
    });

  on(
    'an object with another owner, state, type, attribute or archive bit than the server wrote is as if it were not there, is logged and audited once',
    async (it) => {
      const changes = [
        "owner = 'team/bob'",
        'state = 3',
        'object_type = 5',
        'archived = 1 - archived',
        'attributes = (SELECT attributes FROM kms_object other WHERE other.id = $2)',
        'content = (SELECT content FROM kms_object other WHERE other.id = $2)',
        'content = NULL',
        'seal = (SELECT seal FROM kms_object other WHERE other.id = $2)',
        'seal = NULL',
      ];
      const [other, ...kids] = await Promise.all([...changes, ''].map(() => newKey(it, it.ada)));
      // Active again is what somebody would want most.
      const revoked = kids[1] as string;
      const revocation = { tag: 'RevocationReason', value: [{ tag: 'RevocationReasonCode', type: 'Enumeration', value: 'CessationOfOperation' }] };
      const ended = await it.server.ask('POST', '/kmip/2_1', {
        cookie: it.ada,
        body: { tag: 'Revoke', value: [{ tag: 'UniqueIdentifier', type: 'TextString', value: revoked }, revocation] },
      });
      assert.equal(ended.status, 200, ended.text);
      for (const [at, change] of changes.entries()) {
        const kid = kids[at] as string;
        const sql = `UPDATE kms_object SET ${change === 'state = 3' ? 'state = 2' : change} WHERE id = $1${change.includes('$2') ? '' : " AND $2 <> ''"}`;
        await it.write(sql, kid, other as string);
      }
      await it.restart();
      for (const [at, kid] of kids.entries())
        for (const cookie of [it.ada, it.bob]) for (let times = 0; times < 3; times++) assert.deepEqual(await uses(it, cookie, kid), ABSENT, changes[at]);
      assert.deepEqual(await uses(it, it.ada, other as string), USED);
      // Those whose contents were exchanged are only found out when they are opened.
      const closed = new Set(kids.filter((_, at) => !changes[at]?.startsWith('content')));
      assert.deepEqual(
        (await listed(it, it.ada, 'owned')).filter((id) => closed.has(id)),
        [],
      );
      assert.ok((await listed(it, it.ada, 'owned')).includes(other as string));
      assert.deepEqual(await listed(it, it.bob, 'owned'), []);
      // Locate tells the identifier of one's own object without a look at its attributes.
      const ownAttributes = kids[changes.findIndex((change) => change.startsWith('attributes'))];
      assert.deepEqual(
        (await located(it, it.ada)).filter((id) => closed.has(id) && id !== ownAttributes),
        [],
      );
      assert.deepEqual(await located(it, it.bob), []);
      const threads = it.server.runtime.groups.get('kmip')?.supervisors.length ?? 1;
      for (const kid of kids) {
        await until(async () => (await audited(it, kid)).length > 0, 'it is audited');
        assert.ok((await audited(it, kid)).length <= threads, 'once by each thread');
      }
      assert.ok(
        it.server.lines.some(({ level, row }) => level === 'error' && row === kids[0]),
        'it is logged',
      );
    },
  );

  on('rights that were written past the server are none, and one that was taken away does not come back', async (it) => {
    const [kid, shared] = [await newKey(it, it.ada), await newKey(it, it.ada)];
    await it.write('INSERT INTO kms_grant (object_id, user_id, operations) VALUES ($1, $2, $3)', kid, 'team/bob', 'encrypt get');
    await grant(it, 'grant', it.ada, shared, 'team/bob', ['encrypt']);
    await grant(it, 'grant', it.ada, shared, '*', ['getattributes']);
    const before = await it.outside.get<Record<string, SqlValue>>('SELECT * FROM kms_grant WHERE object_id = $1 AND user_id = $2', [shared, 'team/bob']);
    assert.ok(before);
    const columns = Object.keys(before);
    const putBack = (row: Record<string, SqlValue>) =>
      it.write(`INSERT INTO kms_grant (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`, ...Object.values(row));
    assert.deepEqual(await uses(it, it.bob, kid), ABSENT, 'a right out of nothing');
    assert.equal((await uses(it, it.bob, shared))[0], 200);
    // The row of one object on another, with more rights, and for somebody else.
    await putBack({ ...before, object_id: kid, user_id: '*' });
    await it.write('UPDATE kms_grant SET operations = $2 WHERE object_id = $1 AND user_id = $3', shared, 'encrypt get', 'team/bob');
    await it.restart();
    for (const id of [kid, shared]) assert.deepEqual([id, ...(await uses(it, it.bob, id))], [id, ...ABSENT]);
    assert.deepEqual(await listed(it, it.bob, 'obtained'), [shared], "by the right of everybody, which is the server's");
    assert.deepEqual(await located(it, it.bob), [shared]);
    // Kept aside, taken away by the owner, put back.
    await it.write('DELETE FROM kms_grant WHERE object_id = $1 AND user_id = $2', shared, 'team/bob');
    await putBack(before);
    await it.restart();
    assert.equal((await uses(it, it.bob, shared))[0], 200);
    await grant(it, 'revoke', it.ada, shared, 'team/bob', ['encrypt']);
    await putBack(before);
    await it.restart();
    assert.deepEqual(await uses(it, it.bob, shared), ABSENT);
    const described = await it.server.ask('POST', '/kmip/2_1', {
      cookie: it.bob,
      body: { tag: 'GetAttributes', value: [{ tag: 'UniqueIdentifier', type: 'TextString', value: shared }] },
    });
    assert.equal(described.status, 200, 'the rights of others stay');
    await until(async () => (await audited(it, kid)).length > 0, 'it is audited');
  });

  on(
    'the right to create is none where it was written past the server',
    async (it) => {
      const may = async (cookie: string) => (await it.server.ask('GET', '/access/create', { cookie })).body.has_create_permission;
      await it.write("INSERT INTO kms_grant (object_id, user_id, operations) VALUES ('*', 'team/bob', 'create')");
      assert.deepEqual([await may(it.ada), await may(it.bob)], [true, false]);
    },
    '[keys]\nprivileged_users = ["team/ada"]\n',
  );

  on('a tag or a keyset of the index leads to no key that has not got it', async (it) => {
    const [mine, foreign] = [await newKey(it, it.ada), await newKey(it, it.bob)];
    await grant(it, 'grant', it.bob, foreign, '*', ['encrypt', 'get']);
    const tagged = await newKey(it, it.ada);
    assert.equal((await it.server.ask('POST', `/v1/crypto/keys/${tagged}/tags`, { cookie: it.ada, body: { tags: ['payroll'] } })).status, 200);
    assert.deepEqual(await uses(it, it.ada, '["payroll"]'), USED);
    // The names of the right key go over to the key of somebody else.
    await it.write("UPDATE kms_attribute SET object_id = $2 WHERE object_id = $1 AND value = 'payroll'", tagged, foreign);
    await it.restart();
    assert.deepEqual(await uses(it, it.ada, '["payroll"]'), ABSENT);
    assert.deepEqual(await uses(it, it.ada, mine), USED);
    // Locate tells nobody of an object that is neither theirs nor granted to them, whatever the index says.
    await it.write("UPDATE kms_attribute SET object_id = $2, owner = 'team/bob' WHERE object_id = $1 AND value = 'payroll'", foreign, mine);
    await it.restart();
    const name = {
      tag: 'Attribute',
      value: [
        { tag: 'VendorIdentification', type: 'TextString', value: 'cosmian' },
        { tag: 'AttributeName', type: 'TextString', value: 'tag' },
        { tag: 'AttributeValue', type: 'TextString', value: '["payroll"]' },
      ],
    };
    assert.deepEqual(await located(it, it.bob, [name]), []);
  });
}

test.run();
