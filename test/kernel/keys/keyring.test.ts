// The server's own keys: made once, opened by the same root key only, never made a second time.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import type { KeyEncryptionKey } from '../../../kernel/keys/key-encryption-key.ts';
import { keyServerKey } from '../../../kernel/keys/key-server-key.ts';
import { openKeyring } from '../../../kernel/keys/keyring.ts';
import { seal, unseal } from '../../../kernel/keys/seal.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { openStore } from '../../../kernel/store/open.ts';
import type { Store } from '../../../kernel/store/store.ts';
import { rowsOf } from '../../e2e/started.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const clock = createClock();
const databases = await testDatabases();

test.after(async () => {
  for (const database of databases) await database.stop();
});

for (const database of databases) {
  test(`${database.dialect}: data keys are made once for all nodes, and opened again`, async () => {
    const url = await database.url();
    const folder = temporaryFolder();
    const stores = await Promise.all([1, 2].map((n) => openStore(url, { writer: `w${n}`, clock })));
    for (const store of stores) await migrate(store, [], () => 0);
    const root = 'ab'.repeat(32);
    const rings = await Promise.all(stores.map((store) => openKeyring(store, { dataDir: folder, configured: root }, () => 0)));
    const [first, second] = await Promise.all(rings.map(async (ring) => [...(await ring.dataKey('auth')), ...(await ring.dataKey('keys'))]));
    assert.deepEqual(first, second);
    const auth = (await rings[0]?.dataKey('auth')) as Uint8Array;
    assert.notDeepEqual(auth, await rings[0]?.dataKey('keys'));
    const rows = (await stores[0]?.all<{ wrapped: Uint8Array }>('SELECT wrapped FROM data_key')) ?? [];
    assert.equal(rows.length, 3);
    assert.ok(rows.every(({ wrapped }) => !Buffer.from(wrapped).includes(Buffer.from(auth))));
    await assert.rejects(
      openKeyring(stores[0] as never, { dataDir: folder, configured: 'cd'.repeat(32) }, () => 0),
      /does not open the data keys/,
    );
    await Promise.all(stores.map((store) => store.close()));
    rmSync(folder, { recursive: true });
  });
}

const postgres = databases.find(({ dialect }) => dialect === 'postgres');
if (postgres)
  test('of two nodes that start at once one has its key-encryption key wrap a data key, and both open it', async () => {
    const url = await postgres.url();
    const stores = await Promise.all([1, 2].map((n) => openStore(url, { writer: `w${n}`, clock })));
    await migrate(stores[0] as Store, [], () => 0);
    const bothLooked = Promise.withResolvers<void>();
    let [looks, wraps] = [0, 0];
    // It only counts its calls: the data key stays as it is.
    const key: KeyEncryptionKey = {
      id: 'hsm::fake::0::kek',
      async wrap(dataKey) {
        wraps += 1;
        await bothLooked.promise;
        return dataKey.slice();
      },
      unwrap: async (wrapped) => wrapped.slice(),
    };
    const open = async (store: Store) => {
      const withStore = async <T>(work: (own: Store) => Promise<T>) => {
        const done = await work(store);
        looks += 1;
        if (looks === 2) bothLooked.resolve();
        return done;
      };
      return Buffer.from(await keyServerKey(key, { withStore, now: () => 0 }).open()).toString('hex');
    };
    const [first, second] = await Promise.all(stores.map(open));
    assert.equal(first, second);
    assert.equal(wraps, 1);
    await Promise.all(stores.map((store) => store.close()));
  });

test('the root key file: made with mode 0600, needed ever after, never made a second time', async () => {
  const server = await startServer();
  const path = join(server.dataDir, 'root.key');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const text = readFileSync(path, 'utf8');
  await signInAdmin(server);
  await server.stop();
  rmSync(path);
  await assert.rejects(startServer({ dataDir: server.dataDir }), /root\.key is missing, but the database has data keys wrapped by it/);
  writeFileSync(path, Buffer.alloc(32, 1).toString('base64'));
  await assert.rejects(startServer({ dataDir: server.dataDir }), /this root key does not open the data keys/);
  writeFileSync(path, 'not a key');
  await assert.rejects(startServer({ dataDir: server.dataDir }), /must be 64 hexadecimal digits, or base64 of 32 bytes/);
  writeFileSync(path, text);
  const again = await startServer({ dataDir: server.dataDir });
  await again.end();
  await server.end();
});

test('a root key that is none, or another one, is refused before the database is made or changed', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'root.key'), 'not a key');
  await assert.rejects(startServer({ dataDir }), /root\.key: must be 64 hexadecimal digits, or base64 of 32 bytes/);
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.endsWith('.db')),
    [],
  );
  rmSync(join(dataDir, 'root.key'));
  const server = await startServer({ dataDir });
  await server.stop();
  // A database of the version before.
  const file = join(dataDir, 'gatehouse.db');
  for (const sql of ['DROP INDEX audit_actor', 'DROP INDEX audit_event', "DELETE FROM migration WHERE owner = 'kernel' AND id = 6"]) await rowsOf(file, sql);
  const before = await rowsOf(file, 'SELECT owner, id FROM migration ORDER BY owner, id');
  const own = readFileSync(join(dataDir, 'root.key'), 'utf8');
  for (const [text, refusal] of [
    ['not a key', /must be 64 hexadecimal digits/],
    ['ab'.repeat(32), /this root key does not open the data keys/],
  ] as const) {
    writeFileSync(join(dataDir, 'root.key'), text);
    await assert.rejects(startServer({ dataDir }), refusal);
  }
  writeFileSync(join(dataDir, 'root.key'), own);
  await rowsOf(file, "INSERT INTO migration (owner, id, about, applied_at) VALUES ('keys', 999, 'of a newer version', 0)");
  await assert.rejects(startServer({ dataDir }), /the database has migration keys\/999, but this version knows/);
  await rowsOf(file, 'DELETE FROM migration WHERE id = 999');
  assert.deepEqual(await rowsOf(file, 'SELECT owner, id FROM migration ORDER BY owner, id'), before);
  await (await startServer({ dataDir })).end();
});

test('a password of the administrator that a first start refuses leaves neither a database nor keys', async () => {
  const dataDir = temporaryFolder();
  await assert.rejects(startServer({ dataDir, env: { GATEHOUSE_ADMIN_PASSWORD: 'short' } }), /GATEHOUSE_ADMIN_PASSWORD: it must have 8 to 1024 bytes/);
  for (const name of ['gatehouse.db', 'root.key']) assert.equal(existsSync(join(dataDir, name)), false, name);
  const server = await startServer({ dataDir, env: { GATEHOUSE_ADMIN_PASSWORD: 'long enough' } });
  await server.stop();
  // Where there is one already, nobody reads it.
  await (await startServer({ dataDir, env: { GATEHOUSE_ADMIN_PASSWORD: 'short' } })).end();
});

test('a sealed text opens with its key and purpose only, and not when a bit has changed', () => {
  const key = new Uint8Array(32).fill(1);
  const sealed = seal(key, 'purpose', new Uint8Array([1, 2, 3]));
  assert.deepEqual([...(unseal(key, 'purpose', sealed) ?? [])], [1, 2, 3]);
  assert.equal(unseal(key, 'other', sealed), undefined);
  assert.equal(unseal(new Uint8Array(32), 'purpose', sealed), undefined);
  assert.equal(unseal(key, 'purpose', sealed.subarray(0, 20)), undefined);
  for (let at = 0; at < sealed.length; at++) {
    const changed = new Uint8Array(sealed);
    changed[at] = (changed[at] as number) ^ 1;
    assert.equal(unseal(key, 'purpose', changed), undefined);
  }
});

test.run();
