// A database from before there were accounts, on SQLite and PostgreSQL: who is there keeps what is theirs, and who comes next under an old name gets nothing.
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { migrationsAt, schemaSql } from '../../kernel/backup/schema.ts';
import { createClock } from '../../kernel/clock.ts';
import { seal } from '../../kernel/keys/seal.ts';
import { openStore } from '../../kernel/store/open.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { AttributeSet } from '../../kmip/attribute/set.ts';
import { encodeBinary } from '../../kmip/ttlv/binary.ts';
import { ENUM } from '../../kmip/ttlv/enumeration.ts';
import { structure } from '../../kmip/ttlv/node.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';
import { cookieKeys, newCookieValue } from '../../plugins/auth/cookie.ts';
import { digestOf } from '../../plugins/auth/machine/app-token.ts';
import { AUTH_MIGRATIONS } from '../../plugins/auth/migrations.ts';
import { KEYS_MIGRATIONS } from '../../plugins/keys/migrations.ts';
import { KeyHolder } from '../key-holder.ts';
import { people } from '../people.ts';
import { startServer, type TestServer, temporaryFolder } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
test.after(() => Promise.all(databases.map((database) => database.stop())).then(() => {}));

const BEFORE = { kernel: 2, auth: 2, keys: 1 };
const SETS = [
  { owner: 'auth', migrations: AUTH_MIGRATIONS },
  { owner: 'keys', migrations: KEYS_MIGRATIONS },
];
/** Owners of an object each, by the name that they had. */
const OWNERS = [
  '_/admin',
  'team/alice',
  'team/jwt:dave',
  'team/gone',
  'none/zed',
  'none/jwt:zed',
  'approle:backup',
  'approle:gone',
  'cluster:prod/app',
  'jwt:corp/x',
  'owner',
];
const COOKIES = Object.fromEntries(['admin', 'alice', 'dave'].map((name) => [name, newCookieValue()])) as Record<'admin' | 'alice' | 'dave', string>;
const TOKENS = { backup: `hvs.${'b'.repeat(43)}`, cluster: `hvs.${'c'.repeat(43)}` };
const PASSWORD = 'a good password';

async function session(tx: Transaction, realm: string, username: string, scheme: string, cookie: string): Promise<void> {
  const { sessionId, hash } = cookieKeys(cookie) as NonNullable<ReturnType<typeof cookieKeys>>;
  const claims = JSON.stringify({ jti: sessionId, roles: [], extraClaims: {} });
  await tx.run(
    `INSERT INTO session (id, cookie_hash, realm, username, scheme, created_at, seen_at, max_age_seconds, max_stale_age_seconds, claims)
      VALUES ($1, $2, $3, $4, $5, $6, $6, 86400, 86400, $7)`,
    [sessionId, hash, realm, username, scheme, Date.now(), claims],
  );
}

/** Of before rows were authenticated: what a start finds, it takes for its own. */
async function dataKeys(tx: Transaction, dataDir: string): Promise<void> {
  const root = randomBytes(32);
  writeFileSync(join(dataDir, 'root.key'), `${root.toString('base64')}\n`, { mode: 0o600 });
  for (const purpose of ['auth', 'keys']) {
    const key = new Uint8Array(randomBytes(32));
    const check = new Uint8Array(createHmac('sha256', key).update('gatehouse check value').digest().subarray(0, 8));
    await tx.run('INSERT INTO data_key (purpose, wrapped, check_value, created_at) VALUES ($1, $2, $3, 1)', [
      purpose,
      seal(new Uint8Array(root), `gatehouse data key ${purpose}`, key),
      check,
    ]);
  }
}

async function fill(tx: Transaction, dataDir: string): Promise<void> {
  await dataKeys(tx, dataDir);
  for (const realm of ['_', 'team'])
    await tx.run(
      `INSERT INTO realm (id, auth_params, session_max_age_seconds, session_max_stale_age_seconds, certificate_max_age_seconds, password_max_age_seconds)
        VALUES ($1, '{}', 3600, 3600, 3600, 0)`,
      [realm],
    );
  for (const [realm, username] of [
    ['_', 'admin'],
    ['team', 'alice'],
  ])
    await tx.run(
      `INSERT INTO userpass (realm, username, password_hash, change_password, roles, password_set_at, revision) VALUES ($1, $2, 'x', 0, '[]', 0, 1)`,
      [realm as string, username as string],
    );
  for (const [id, realm, userpass] of [
    ['admin', '_', 'admin'],
    ['a', 'team', 'alice'],
    ['g', 'team', 'gone'],
  ]) {
    await tx.run('INSERT INTO admin (id, userpass) VALUES ($1, $2)', [id as string, userpass as string]);
    await tx.run('INSERT INTO admin_realm (admin, realm) VALUES ($1, $2)', [id as string, realm as string]);
  }
  await session(tx, '_', 'admin', 'up', COOKIES.admin);
  await session(tx, 'team', 'alice', 'up', COOKIES.alice);
  await session(tx, 'team', 'dave', 'jwt', COOKIES.dave);
  await tx.run(`INSERT INTO approle VALUES ('backup', 'role-id', 0, 0, '[]', 0, 0)`);
  for (const [kind, role, entity, token] of [
    ['approle', 'backup', 'backup', TOKENS.backup],
    ['cluster', 'web', 'prod/app', TOKENS.cluster],
  ] as const)
    await tx.run(`INSERT INTO app_token VALUES ($1, $2, $3, $4, $5, '[]', 0, 0, 0, 0)`, [digestOf(token), kind, kind, role, entity]);
  const attributes = encodeBinary(AttributeSet.of(structure(TAG.Attributes, [])).toStructure());
  for (const owner of OWNERS) {
    await tx.run(`INSERT INTO kms_object (id, object_type, state, owner, archived, attributes, created_at, changed_at) VALUES ($1, $2, $3, $4, 0, $5, 1, 1)`, [
      `of ${owner}`,
      ENUM.ObjectType.OpaqueObject,
      ENUM.State.PreActive,
      owner,
      attributes,
    ]);
    // Each but one's own is granted to whoever else had a name.
    for (const user of [...OWNERS.filter((other) => other !== owner), 'team/never', 'team/*'])
      if (owner === '_/admin')
        await tx.run('INSERT INTO kms_grant (object_id, user_id, operations) VALUES ($1, $2, $3)', [`of ${owner}`, user, 'getattributes']);
  }
}

for (const database of databases)
  test(`${database.dialect}: a database from before there were accounts`, async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    const url = database.dialect === 'sqlite' ? `sqlite:${join(dataDir, 'gatehouse.db')}` : await database.url();
    const store = await openStore(url, { writer: 'before', clock: createClock() });
    await store.transaction(async (tx) => {
      for (const sql of schemaSql(migrationsAt(BEFORE, SETS, 'the database'), store.dialect)) await tx.exec(sql);
      for (const [owner, level] of Object.entries(BEFORE))
        for (let id = 1; id <= level; id++) await tx.run(`INSERT INTO migration VALUES ($1, $2, '', 1)`, [owner, id]);
      await fill(tx, dataDir);
    });
    await store.close();
    const server = await startServer({ dataDir, config: database.dialect === 'sqlite' ? '' : `[store]\nurl = "${url}"\n` });
    try {
      await check(server);
    } finally {
      await server.end();
      rmSync(folder, { recursive: true, force: true });
    }
  });

async function check(server: TestServer): Promise<void> {
  const holder = (credential: ConstructorParameters<typeof KeyHolder>[1]) => new KeyHolder(() => server.ask, credential);
  const cookie = (name: keyof typeof COOKIES) => holder({ cookie: COOKIES[name] });
  const token = (name: keyof typeof TOKENS) => holder({ headers: { 'x-app-token': TOKENS[name] } });
  const has = async (one: KeyHolder) => [await one.owned(), (await one.obtained()).map(({ object_id }) => object_id)];
  // Whoever was there is the one whose name it was.
  assert.deepEqual(await has(cookie('admin')), [['of _/admin'], []]);
  for (const [one, name] of [
    [cookie('alice'), 'team/alice'],
    [cookie('dave'), 'team/jwt:dave'],
    [token('backup'), 'approle:backup'],
  ] as const) {
    assert.equal((await one.me()).user, name);
    assert.deepEqual(await has(one), [[`of ${name}`], ['of _/admin']]);
  }
  // One of several clusters had the name: nobody can tell which.
  assert.equal((await token('cluster').me()).user, 'cluster:web/prod/app');
  assert.deepEqual(await has(token('cluster')), [[], []]);
  const root = COOKIES.admin;
  const all = people(server, root);
  // The rights of who was there stay, and of who is not go to nobody.
  assert.equal((await cookie('alice').ask('GET', '/realms/team/userpass')).status, 200);
  await all.realm('none');
  for (const [realm, username, obtained] of [
    ['team', 'gone', ['of _/admin']],
    ['team', 'never', ['of _/admin']],
    ['none', 'zed', []],
  ] as const) {
    await all.user(realm, username, PASSWORD);
    const next = holder({ cookie: await all.session(realm, username, PASSWORD) });
    // What a realm was granted is for all in it.
    assert.deepEqual(await has(next), [[], [...obtained]], `${realm}/${username}`);
    assert.equal((await next.ask('GET', `/realms/${realm}/userpass`)).status, 403);
  }
  assert.deepEqual((await cookie('admin').granted('of _/admin')).sort(), ['approle:backup', 'owner', 'team/*', 'team/alice', 'team/jwt:dave']);
  const { body } = await server.ask('GET', '/access/tombstones', { cookie: root });
  const left = ['approle:gone', 'cluster:prod/app', 'jwt:corp/x', 'none/jwt:zed', 'none/zed', 'team/gone'];
  assert.deepEqual(body.tombstones.map(({ name }: { name: string }) => name).sort(), left);
  for (const from of left) {
    const answer = await server.ask('POST', '/access/transfer', { cookie: root, body: { from, to: '_/admin' } });
    assert.deepEqual([answer.status, answer.body.transferred], [200, 1], answer.text);
  }
  assert.equal((await cookie('admin').owned()).length, left.length + 1);
}

test.run();
