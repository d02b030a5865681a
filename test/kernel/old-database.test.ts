// A database from before rows were authenticated: its rows are given their MACs by the first start, once, and by no other start.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { backUp } from '../../kernel/backup/back-up.ts';
import { restore } from '../../kernel/backup/restore.ts';
import { createClock } from '../../kernel/clock.ts';
import { seal, unseal } from '../../kernel/seal.ts';
import { openStore } from '../../kernel/store/open.ts';
import type { Row, Store } from '../../kernel/store/store.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { people } from '../people.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
const folder = temporaryFolder();
let places = 0;

test.after(async () => {
  for (const database of databases) await database.stop();
  rmSync(folder, { recursive: true });
});

interface Place {
  readonly dataDir: string;
  readonly config: string;
  readonly options: { plugins: typeof BUILT_IN; version: string; argv: string[]; env: NodeJS.ProcessEnv };
  store(): Promise<Store>;
}

async function place(dialect: string): Promise<Place> {
  const dataDir = join(folder, `data${++places}`);
  const url = dialect === 'sqlite' ? 'sqlite:gatehouse.db' : ((await databases.find((each) => each.dialect === dialect)?.url()) as string);
  const config = `[store]\nurl = "${url}"\n`;
  const file = join(folder, `config${places}.toml`);
  writeFileSync(file, config);
  const address = dialect === 'sqlite' ? `sqlite:${dataDir}/gatehouse.db` : url;
  return {
    dataDir,
    config,
    options: { plugins: BUILT_IN, version: '0.0.0-test', argv: ['--config', file, '--data-dir', dataDir], env: {} },
    store: () => openStore(address, { writer: 'test', clock: createClock() }),
  };
}

interface Before {
  readonly kids: readonly string[];
  readonly shared: string;
  readonly signingKey: string;
}

const signingKeyOf = async (server: TestServer) => (await server.ask('GET', '/.well-known/certificate-jwks.json')).body.keys[0].kid as string;

/** Objects of one user, some granted to another, made by a server that stops then. */
async function fill({ dataDir, config }: Place): Promise<Before> {
  const server = await startServer({ dataDir, config });
  const they = people(server, await signInAdmin(server));
  await they.realm('team');
  for (const name of ['ada', 'bob']) await they.user('team', name, `${name} password`);
  const cookie = await they.session('team', 'ada', 'ada password');
  const kids: string[] = [];
  for (let at = 0; at < 8; at++) kids.push((await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } })).body.kid);
  const shared = kids[6] as string;
  const grant = { unique_identifier: shared, user_id: 'team/bob', operation_types: ['encrypt'] };
  assert.equal((await server.ask('POST', '/access/grant', { cookie, body: grant })).status, 200);
  const signingKey = await signingKeyOf(server);
  await server.end();
  return { kids, shared, signingKey };
}

/** The label under which the data keys were wrapped before. */
const before = (purpose: string) => `gatehouse data key ${purpose}`;
const after = (purpose: string) => `${before(purpose)}, rows authenticated`;

async function rewrap(store: Store, dataDir: string, from: (purpose: string) => string, to: (purpose: string) => string): Promise<void> {
  const root = new Uint8Array(Buffer.from(readFileSync(join(dataDir, 'root.key'), 'utf8'), 'base64'));
  await store.transaction(async (tx) => {
    for (const { purpose, wrapped } of await tx.all<{ purpose: string; wrapped: Uint8Array }>('SELECT purpose, wrapped FROM data_key')) {
      const key = unseal(root, from(purpose), wrapped);
      assert.ok(key, `${purpose} is wrapped as ${from(purpose)}`);
      await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, seal(root, to(purpose), key)]);
    }
  });
}

/** Takes out of a database what makes it one of this version. */
async function age(at: Place): Promise<void> {
  const store = await at.store();
  await store.transaction(async (tx) => {
    for (const [table, column] of [
      ['kms_object', 'seal'],
      ['kms_grant', 'mac'],
      ['signing_key', 'mac'],
    ])
      await tx.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    // Later ones too, which the level of a backup would be told by: they are applied again.
    await tx.exec('DROP INDEX kms_grant_first; DROP INDEX kms_grant_user; CREATE INDEX kms_grant_user ON kms_grant (user_id)');
    await tx.exec('ALTER TABLE kms_grant DROP COLUMN granted_at');
    await tx.exec('DROP TABLE data_key_generation');
    for (const [owner, id] of [
      ['kernel', 4],
      ['keys', 2],
      ['keys', 3],
      ['keys', 4],
      ['auth', 6],
    ])
      assert.equal(await tx.run('DELETE FROM migration WHERE owner = $1 AND id = $2', [owner as string, id as number]), 1);
  });
  await rewrap(store, at.dataDir, after, before);
  await store.close();
}

async function encrypts(server: TestServer, cookie: string, kid: string): Promise<number> {
  return (await server.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } })).status;
}

const sessionOf = async (server: TestServer, name: string) =>
  (await server.ask('POST', '/login?realm=team', { user: `${name}:${name} password` })).cookie as string;

/** All that was is, for those whom it was for. */
async function check({ dataDir, config }: Place, { kids, shared, signingKey }: Before): Promise<void> {
  const server = await startServer({ dataDir, config });
  try {
    const [ada, bob] = [await sessionOf(server, 'ada'), await sessionOf(server, 'bob')];
    for (const kid of kids) assert.deepEqual([await encrypts(server, ada, kid), await encrypts(server, bob, kid)], [200, kid === shared ? 200 : 404]);
    assert.equal(await signingKeyOf(server), signingKey);
  } finally {
    await server.end();
  }
}

const sealsIn = async (store: Store) => new Map((await store.all<Row>('SELECT id, seal FROM kms_object')).map(({ id, seal: bytes }) => [String(id), bytes]));

for (const { dialect } of databases) {
  test(`${dialect}: rows of before are given their MACs by the first start, and those without one are nobody's ever after`, async () => {
    const at = await place(dialect);
    const was = await fill(at);
    await age(at);
    await check(at, was);
    const store = await at.store();
    for (const [id, bytes] of await sealsIn(store)) assert.ok(bytes, id);
    assert.equal((await store.all("SELECT target FROM audit WHERE event = 'server.rows_authenticated'")).length, 2);
    // What could make the server take this for an old database, but for the data key as it was wrapped then.
    const [mine, ...others] = was.kids as [string, ...string[]];
    await store.transaction(async (tx) => {
      await tx.run("UPDATE kms_object SET owner = 'team/bob', seal = NULL WHERE id = $1", [mine]);
      await tx.run('DELETE FROM kms_grant WHERE object_id = $1', [was.shared]);
      await tx.run("INSERT INTO kms_grant (object_id, user_id, operations, mac) VALUES ($1, 'team/bob', 'encrypt', NULL)", [others[0] as string]);
      await tx.run('UPDATE signing_key SET mac = NULL');
      await tx.run('DELETE FROM data_key_generation');
      await tx.run("DELETE FROM audit WHERE event = 'server.rows_authenticated'");
    });
    const server = await startServer(at);
    const [ada, bob] = [await sessionOf(server, 'ada'), await sessionOf(server, 'bob')];
    for (const kid of was.kids) assert.equal(await encrypts(server, bob, kid), 404);
    for (const kid of was.kids) assert.equal(await encrypts(server, ada, kid), kid === mine ? 404 : 200);
    assert.notEqual(await signingKeyOf(server), was.signingKey);
    await server.end();
    await store.close();
  });

  test(`${dialect}: a first start that was ended in its middle goes on where it was, and changes nothing that is done`, async () => {
    const at = await place(dialect);
    const was = await fill(at);
    await age(at);
    await check(at, was);
    const store = await at.store();
    const first = await sealsIn(store);
    // As it is after half of the transactions: some rows and their grants are done, the data key is as it was.
    const undone = was.kids.slice(5);
    for (const kid of undone) {
      await store.transaction(async (tx) => {
        await tx.run('UPDATE kms_object SET seal = NULL WHERE id = $1', [kid]);
        await tx.run('UPDATE kms_grant SET mac = NULL WHERE object_id = $1', [kid]);
      });
    }
    await rewrap(store, at.dataDir, after, before);
    await check(at, was);
    const second = await sealsIn(store);
    for (const kid of was.kids) assert.equal(Buffer.compare(first.get(kid) as Uint8Array, second.get(kid) as Uint8Array) === 0, !undone.includes(kid));
    await store.close();
  });

  test(`${dialect}: a backup of before is restored, and brought up to date by the next start`, async () => {
    const at = await place(dialect);
    const was = await fill(at);
    await age(at);
    const file = join(folder, `${dialect}.backup`);
    await backUp(at.options, file);
    for (const other of databases) {
      const to = await place(other.dialect);
      mkdirSync(to.dataDir);
      copyFileSync(join(at.dataDir, 'root.key'), join(to.dataDir, 'root.key'));
      await restore(to.options, file);
      await check(to, was);
      await check(to, was);
    }
  });

  test(`${dialect}: after a rotation of the root key, the data key as it was wrapped before opens no more`, async () => {
    const at = await place(dialect);
    const was = await fill(at);
    await age(at);
    const store = await at.store();
    const kept = await store.all<{ purpose: string; wrapped: Uint8Array }>('SELECT purpose, wrapped FROM data_key');
    const rotated = await startServer({ ...at, argv: ['--rotate-kek'] });
    await rotated.end();
    await check(at, was);
    await store.transaction(async (tx) => {
      for (const { purpose, wrapped } of kept) await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, wrapped]);
    });
    await assert.rejects(startServer(at), /does not open the data keys/);
    await store.close();
  });
}

test.run();
