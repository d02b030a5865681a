// Data keys: only the threads that work with one have it, one generation seals so many objects and no more, and what has not changed is not sealed again.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import { backUp } from '../../kernel/backup/back-up.ts';
import { restore } from '../../kernel/backup/restore.ts';
import { createClock } from '../../kernel/clock.ts';
import type { DataKeyRow } from '../../kernel/keys/data-key-row.ts';
import { openDataKeys } from '../../kernel/keys/keyring.ts';
import { openStore } from '../../kernel/store/open.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { until } from '../runtime.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
const folder = temporaryFolder();

test.after(async () => {
  for (const database of databases) await database.stop();
  rmSync(folder, { recursive: true });
});

async function newKey(server: TestServer, cookie: string): Promise<string> {
  const made = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
  assert.equal(made.status, 200, made.text);
  return made.body.kid as string;
}

async function encrypts(server: TestServer, cookie: string, kid: string): Promise<number> {
  return (await server.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } })).status;
}

const signIn = async (server: TestServer) => (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;

/** How many arrays of bytes of this thread hold the bytes; they are given with every bit turned over, so that nobody finds what is looked for. */
async function arraysWith(turned: readonly number[]): Promise<number> {
  const session = new Session();
  session.connect();
  let found = 0;
  for (const kind of ['Uint8Array', 'ArrayBuffer']) {
    const { result } = await session.post('Runtime.evaluate', { expression: `${kind}.prototype` });
    const { objects } = await session.post('Runtime.queryObjects', { prototypeObjectId: result.objectId as string });
    const search = `function (turned) {
      const holds = (bytes) => {
        for (let at = bytes.indexOf(turned[0] ^ 255); at !== -1; at = bytes.indexOf(turned[0] ^ 255, at + 1)) {
          let same = 1;
          while (same < turned.length && (bytes[at + same] ^ 255) === turned[same]) same++;
          if (same === turned.length) return true;
        }
        return false;
      };
      // Prototypes are among them.
      const bytesOf = (each) => (ArrayBuffer.isView(each) ? each : each === ArrayBuffer.prototype || !(each instanceof ArrayBuffer) || each.detached ? [] : new Uint8Array(each));
      return this.filter((each) => holds(bytesOf(each))).length;
    }`;
    const counted = await session.post('Runtime.callFunctionOn', {
      objectId: objects.objectId as string,
      functionDeclaration: search,
      arguments: [{ value: turned }],
      returnByValue: true,
    });
    assert.equal(counted.exceptionDetails, undefined);
    found += counted.result.value as number;
  }
  session.disconnect();
  return found;
}

test('with placement = "own" the main thread never keeps a data key, even after threads restart', async () => {
  const server = await startServer({ config: '[keys]\nplacement = "own"\n' });
  try {
    const cookie = await signInAdmin(server);
    const kid = await newKey(server, cookie);
    const store = await openStore(`sqlite:${server.dataDir}/gatehouse.db`, { writer: 'test', clock: createClock() });
    const rows = await store.all<DataKeyRow>('SELECT purpose, wrapped, check_value FROM data_key');
    await store.close();
    const opened = await openDataKeys({ dataDir: server.dataDir, configured: '' }, rows);
    const turned = ['keys', 'auth'].map((purpose) => {
      const key = opened?.keys.get(purpose) as Uint8Array | { bytes: Uint8Array };
      const bytes = 'bytes' in key ? key.bytes : key;
      const copy = [...bytes].map((byte) => byte ^ 255);
      bytes.fill(0);
      return copy;
    });
    // What is looked for is found where it is.
    const here = new Uint8Array((turned[0] as number[]).map((byte) => byte ^ 255));
    assert.ok((await arraysWith(turned[0] as number[])) > 0);
    here.fill(0);
    for (const each of turned) assert.equal(await arraysWith(each), 0);
    for (const name of ['kmip', 'directory']) {
      for (const cell of server.runtime.groups.get(name)?.supervisors ?? []) {
        const { restarts } = cell;
        await cell.incarnation?.kill();
        await until(() => cell.restarts > restarts && cell.state === 'running', `${name} runs again`);
      }
    }
    assert.equal(await encrypts(server, cookie, kid), 200);
    await newKey(server, cookie);
    for (const each of turned) assert.equal(await arraysWith(each), 0);
  } finally {
    await server.end();
  }
});

const kmip = (operation: string, ...value: unknown[]) => ({ tag: operation, value });
const text = (tag: string, value: string) => ({ tag, type: 'TextString', value });
const code = (tag: string, value: string) => ({ tag, type: 'Enumeration', value });

const CREATE = kmip(
  'Create',
  code('ObjectType', 'SymmetricKey'),
  kmip(
    'Attributes',
    code('CryptographicAlgorithm', 'AES'),
    { tag: 'CryptographicLength', type: 'Integer', value: 256 },
    { tag: 'CryptographicUsageMask', type: 'Integer', value: 12 },
    { tag: 'ActivationDate', type: 'DateTime', value: '2020-01-01T00:00:00Z' },
    kmip('UsageLimits', { tag: 'UsageLimitsTotal', type: 'LongInteger', value: 1000 }, code('UsageLimitsUnit', 'Object')),
  ),
);

/** A message whose items are done all or none. */
const undoable = (count: number) =>
  kmip(
    'RequestMessage',
    kmip(
      'RequestHeader',
      kmip('ProtocolVersion', { tag: 'ProtocolVersionMajor', type: 'Integer', value: 2 }, { tag: 'ProtocolVersionMinor', type: 'Integer', value: 1 }),
      code('BatchErrorContinuationOption', 'Undo'),
      { tag: 'BatchCount', type: 'Integer', value: count },
    ),
    ...Array.from({ length: count }, (_, at) =>
      kmip(
        'BatchItem',
        code('Operation', 'Create'),
        { tag: 'UniqueBatchItemID', type: 'ByteString', value: at.toString(16).padStart(4, '0') },
        { ...CREATE, tag: 'RequestPayload' },
      ),
    ),
  );

for (const database of databases) {
  const place = async (dialect: string, name: string) => {
    const url = dialect === 'sqlite' ? 'sqlite:gatehouse.db' : ((await databases.find((each) => each.dialect === dialect)?.url()) as string);
    const dataDir = join(folder, `${database.dialect} ${name}`);
    const config = `[store]\nurl = "${url}"\n[keys]\nmax_seals_per_data_key = 4\n`;
    const file = join(folder, `${database.dialect} ${name}.toml`);
    writeFileSync(file, config);
    const address = dialect === 'sqlite' ? `sqlite:${dataDir}/gatehouse.db` : url;
    const options = { plugins: BUILT_IN, version: '0.0.0-test', argv: ['--config', file, '--data-dir', dataDir], env: {} };
    return { config, dataDir, options, store: () => openStore(address, { writer: 'test', clock: createClock() }) };
  };

  test(`${database.dialect}: an object whose content has not changed keeps its sealed bytes`, async () => {
    const at = await place(database.dialect, 'unchanged');
    const server = await startServer({ dataDir: at.dataDir, config: at.config.slice(0, at.config.indexOf('[keys]')) });
    const store = await at.store();
    try {
      const cookie = await signInAdmin(server);
      const made = await server.ask('POST', '/kmip/2_1', { cookie, body: CREATE });
      assert.equal(made.status, 200, made.text);
      const kid = made.body.value.find(({ tag }: { tag: string }) => tag === 'UniqueIdentifier').value as string;
      const row = () => store.get<{ attributes: Uint8Array; content: Uint8Array }>('SELECT attributes, content FROM kms_object WHERE id = $1', [kid]);
      const before = await row();
      const id = text('UniqueIdentifier', kid);
      const encrypt = kmip('Encrypt', id, { tag: 'Data', type: 'ByteString', value: '00112233445566778899aabbccddeeff' });
      assert.equal((await server.ask('POST', '/kmip/2_1', { cookie, body: encrypt })).status, 200);
      const after = await row();
      assert.notDeepEqual(after?.attributes, before?.attributes, 'a use was taken');
      assert.deepEqual(after?.content, before?.content);
      assert.equal((await server.ask('POST', '/kmip/2_1', { cookie, body: kmip('Archive', id) })).status, 200);
      assert.deepEqual((await row())?.content, before?.content);
    } finally {
      await store.close();
      await server.end();
    }
  });

  test(`${database.dialect}: a generation seals a limited number of objects over threads and starts; backups still open`, async () => {
    const at = await place(database.dialect, 'generations');
    const kids: string[] = [];
    let server = await startServer(at);
    let cookie = await signInAdmin(server);
    for (let start = 0; start < 3; start++) {
      kids.push(...(await Promise.all(Array.from({ length: 7 }, () => newKey(server, cookie)))));
      await server.end();
      server = await startServer({ ...at, argv: start === 1 ? ['--rotate-kek'] : [] });
      cookie = await signIn(server);
    }
    const batch = await server.ask('POST', '/kmip/2_1', { cookie, body: undoable(11) });
    assert.equal(batch.text.match(/"UniqueIdentifier"/g)?.length, 11, batch.text);
    for (const kid of kids) assert.equal(await encrypts(server, cookie, kid), 200);
    await server.end();
    const store = await at.store();
    const sealed = new Map<number, number>();
    for (const { seal } of await store.all<{ seal: Uint8Array }>('SELECT seal FROM kms_object')) {
      const generation = Buffer.from(seal).readUInt32BE(1);
      sealed.set(generation, (sealed.get(generation) ?? 0) + 1);
    }
    assert.equal(
      [...sealed.values()].reduce((sum, count) => sum + count),
      kids.length + 11,
    );
    for (const [generation, count] of sealed) assert.ok(count <= 4, `${count} by generation ${generation}`);
    assert.ok(sealed.size >= 8, String(sealed.size));
    const { made } = (await store.get<{ made: number }>("SELECT COUNT(*) AS made FROM audit WHERE event = 'server.data_key' AND outcome = 'success'")) ?? {};
    assert.ok(Number(made) >= sealed.size - 1);
    await store.close();
    const file = join(folder, `${database.dialect}.backup`);
    await backUp(at.options, file);
    for (const { dialect } of databases) {
      const to = await place(dialect, `restored to ${dialect}`);
      mkdirSync(to.dataDir);
      copyFileSync(join(at.dataDir, 'root.key'), join(to.dataDir, 'root.key'));
      await restore(to.options, file);
      const restored = await startServer(to);
      const session = await signIn(restored);
      for (const kid of kids) assert.equal(await encrypts(restored, session, kid), 200);
      await newKey(restored, session);
      await restored.end();
    }
  });

  test(`${database.dialect}: a generation that was written past the server seals nothing`, async () => {
    const at = await place(database.dialect, 'forged generation');
    const server = await startServer(at);
    const store = await at.store();
    try {
      const cookie = await signInAdmin(server);
      await newKey(server, cookie);
      await store.transaction((tx) =>
        tx.run("INSERT INTO data_key_generation (purpose, generation, wrapped, seals, created_at) VALUES ('keys', 50, $1, 0, 0)", [new Uint8Array(60)]),
      );
      const kids = await Promise.all(Array.from({ length: 12 }, () => newKey(server, cookie)));
      for (const kid of kids) assert.equal(await encrypts(server, cookie, kid), 200);
      const seals = await store.all<{ seal: Uint8Array }>('SELECT seal FROM kms_object');
      const generations = seals.map(({ seal }) => Buffer.from(seal).readUInt32BE(1));
      assert.ok(!generations.includes(50) && generations.some((generation) => generation > 50), String(generations));
    } finally {
      await store.close();
      await server.end();
    }
  });
}

test.run();
