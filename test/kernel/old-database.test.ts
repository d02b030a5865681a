// A database from before rows were authenticated: its rows are given their MACs by the first start, once, and by no other start.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { backUp } from '../../kernel/backup/back-up.ts';
import { restore } from '../../kernel/backup/restore.ts';
import { createClock } from '../../kernel/clock.ts';
import { seal, unseal } from '../../kernel/keys/seal.ts';
import { openStore } from '../../kernel/store/open.ts';
import type { Row, Store } from '../../kernel/store/store.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { startServer, type TestServer, temporaryFolder } from '../server.ts';
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

/**
 * A backup that gatehouse 0.1.0 made, before rows were authenticated: the objects of team/ada, one of them granted to team/bob, and a signing key
 * that is not to rotate before the year 2100.
 */
const BACKUP = fileURLToPath(new URL('../fakes/of-0.1.0.backup', import.meta.url));
const ROOT_KEY = 'ab'.repeat(32);
const KIDS = [
  '96ebbce4-2e8c-431c-b04a-4daa04c39104',
  '7c473ee4-9a1c-4bfc-96bd-f4490d922703',
  '01623b24-9652-49cc-b910-a4de952a56cb',
  '6a6d96ae-59d5-4add-973f-327ebbdd217b',
  'bf6c9680-687d-452f-820d-2265a34231f0',
  'fc845bff-824f-41b3-a12f-690f47dd2101',
  '2124033c-8067-4144-8cb8-f8e05374d9d9',
  'f9186828-682c-4c96-a586-ad8dfe523aa8',
];
const SHARED = '2124033c-8067-4144-8cb8-f8e05374d9d9';
const SIGNING_KEY = 'RO5a9ObBiRQKD_AYaiQDPXxr-gyEbGhiTHn38kNzy9g';

const signingKeyOf = async (server: TestServer) => (await server.ask('GET', '/.well-known/certificate-jwks.json')).body.keys[0].kid as string;

/** What was in the backup, as it was. */
async function restored(dialect: string): Promise<Place> {
  const at = await place(dialect);
  mkdirSync(at.dataDir, { mode: 0o700 });
  writeFileSync(join(at.dataDir, 'root.key'), ROOT_KEY, { mode: 0o600 });
  assert.match(await restore(at.options, BACKUP), /restored \d+ rows/);
  return at;
}

/** The label under which the data keys were wrapped before. */
const before = (purpose: string) => `gatehouse data key ${purpose}`;
const after = (purpose: string) => `${before(purpose)}, rows authenticated`;

async function rewrap(store: Store, from: (purpose: string) => string, to: (purpose: string) => string): Promise<void> {
  const root = new Uint8Array(Buffer.from(ROOT_KEY, 'hex'));
  await store.transaction(async (tx) => {
    for (const { purpose, wrapped } of await tx.all<{ purpose: string; wrapped: Uint8Array }>(
      "SELECT purpose, wrapped FROM data_key WHERE purpose <> 'documents'",
    )) {
      const key = unseal(root, from(purpose), wrapped);
      assert.ok(key, `${purpose} is wrapped as ${from(purpose)}`);
      await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, seal(root, to(purpose), key)]);
    }
  });
}

async function encrypts(server: TestServer, cookie: string, kid: string): Promise<number> {
  return (await server.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } })).status;
}

const sessionOf = async (server: TestServer, name: string) =>
  (await server.ask('POST', '/login?realm=team', { user: `${name}:${name} password` })).cookie as string;

/** All that was is, for those whom it was for. */
async function check({ dataDir, config }: Place): Promise<void> {
  const server = await startServer({ dataDir, config });
  try {
    const [ada, bob] = [await sessionOf(server, 'ada'), await sessionOf(server, 'bob')];
    for (const kid of KIDS) assert.deepEqual([await encrypts(server, ada, kid), await encrypts(server, bob, kid)], [200, kid === SHARED ? 200 : 404]);
    assert.equal(await signingKeyOf(server), SIGNING_KEY);
  } finally {
    await server.end();
  }
}

const sealsIn = async (store: Store) => new Map((await store.all<Row>('SELECT id, seal FROM kms_object')).map(({ id, seal: bytes }) => [String(id), bytes]));

for (const { dialect } of databases) {
  test(`${dialect}: the first start adds MACs to old rows, and later rows without one belong to nobody`, async () => {
    const at = await restored(dialect);
    await check(at);
    const store = await at.store();
    for (const [id, bytes] of await sealsIn(store)) assert.ok(bytes, id);
    assert.equal((await store.all("SELECT target FROM audit WHERE event = 'server.rows_authenticated' AND target <> 'documents'")).length, 2);
    // What could make the server take this for an old database, but for the data key as it was wrapped then.
    const [mine, ...others] = KIDS as [string, ...string[]];
    await store.transaction(async (tx) => {
      await tx.run("UPDATE kms_object SET owner = 'team/bob', seal = NULL WHERE id = $1", [mine]);
      await tx.run('DELETE FROM kms_grant WHERE object_id = $1', [SHARED]);
      await tx.run("INSERT INTO kms_grant (object_id, user_id, operations, mac) VALUES ($1, 'team/bob', 'encrypt', NULL)", [others[0] as string]);
      await tx.run('UPDATE signing_key SET mac = NULL');
      await tx.run('DELETE FROM data_key_generation');
      await tx.run("DELETE FROM audit WHERE event = 'server.rows_authenticated'");
    });
    const server = await startServer(at);
    const [ada, bob] = [await sessionOf(server, 'ada'), await sessionOf(server, 'bob')];
    for (const kid of KIDS) assert.equal(await encrypts(server, bob, kid), 404);
    for (const kid of KIDS) assert.equal(await encrypts(server, ada, kid), kid === mine ? 404 : 200);
    assert.notEqual(await signingKeyOf(server), SIGNING_KEY);
    await server.end();
    await store.close();
  });

  test(`${dialect}: signing keys without a MAC whose private key is another one, or none, are not taken for old ones`, async () => {
    const at = await restored(dialect);
    const store = await at.store();
    const forged = `{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}`;
    await store.transaction(async (tx) => {
      await tx.run("UPDATE signing_key SET public_jwk = $1 WHERE purpose = 'session'", [forged]);
      await tx.run(
        `INSERT INTO signing_key (kid, purpose, public_jwk, wrapped, created_at, signed_until, retired_at)
          SELECT 'another', purpose, $1, wrapped, created_at - 1, signed_until, retired_at FROM signing_key WHERE kid = $2`,
        [forged, SIGNING_KEY],
      );
    });
    await check(at);
    const rows = await store.all<{ kid: string; purpose: string; public_jwk: string; mac: Uint8Array | null }>(
      'SELECT kid, purpose, public_jwk, mac FROM signing_key',
    );
    for (const { kid, public_jwk: jwk, mac } of rows) assert.equal(mac === null, jwk === forged, kid);
    assert.deepEqual(rows.map(({ purpose }) => purpose).sort(), ['certificate', 'certificate', 'session', 'session']);
    await store.close();
  });

  test(`${dialect}: a first start that was ended in its middle goes on where it was, and changes nothing that is done`, async () => {
    const at = await restored(dialect);
    await check(at);
    const store = await at.store();
    const first = await sealsIn(store);
    // As it is after half of the transactions: some rows and their grants are done, the data key is as it was.
    const undone = KIDS.slice(5);
    for (const kid of undone) {
      await store.transaction(async (tx) => {
        await tx.run('UPDATE kms_object SET seal = NULL WHERE id = $1', [kid]);
        await tx.run('UPDATE kms_grant SET mac = NULL WHERE object_id = $1', [kid]);
      });
    }
    await rewrap(store, after, before);
    await check(at);
    const second = await sealsIn(store);
    for (const kid of KIDS) assert.equal(Buffer.compare(first.get(kid) as Uint8Array, second.get(kid) as Uint8Array) === 0, !undone.includes(kid));
    await store.close();
  });

  test(`${dialect}: a database of before is backed up as it is, restored, and brought up to date by the next starts`, async () => {
    const at = await restored(dialect);
    const file = join(folder, `${dialect}.backup`);
    await backUp(at.options, file);
    const to = await place(dialect === 'sqlite' ? (databases.at(-1)?.dialect as string) : 'sqlite');
    mkdirSync(to.dataDir, { mode: 0o700 });
    copyFileSync(join(at.dataDir, 'root.key'), join(to.dataDir, 'root.key'));
    await restore(to.options, file);
    await check(to);
    await check(to);
  });

  test(`${dialect}: after a rotation of the root key, the data key as it was wrapped before opens no more`, async () => {
    const at = await restored(dialect);
    const store = await at.store();
    const kept = await store.all<{ purpose: string; wrapped: Uint8Array }>('SELECT purpose, wrapped FROM data_key');
    const rotated = await startServer({ ...at, argv: ['--rotate-kek'] });
    await rotated.end();
    await check(at);
    await store.transaction(async (tx) => {
      for (const { purpose, wrapped } of kept) await tx.run('UPDATE data_key SET wrapped = $2 WHERE purpose = $1', [purpose, wrapped]);
    });
    await assert.rejects(startServer(at), /does not open the data keys/);
    await store.close();
  });
}

test.run();
