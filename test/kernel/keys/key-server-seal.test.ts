// A started server whose key-encryption key is kept by a plugin: sealed while that key is away, unsealed by itself, and refused with another key.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { test } from 'uvu';
import { backUp } from '../../../kernel/backup/back-up.ts';
import { restore } from '../../../kernel/backup/restore.ts';
import { createClock } from '../../../kernel/clock.ts';
import { type DataKeyRow, dataKeyRows, pluginKeyIn } from '../../../kernel/keys/data-key-row.ts';
import type { KeyEncryptionKey } from '../../../kernel/keys/key-encryption-key.ts';
import type { AnyPlugin } from '../../../kernel/plugin.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { ENUM } from '../../../kmip/ttlv/enumeration.ts';
import { enumeration, integer, structure } from '../../../kmip/ttlv/node.ts';
import { required, structureOf, textOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { keptKey, keptKeyPlugin } from '../../fakes/kept-key.ts';
import { until } from '../../runtime.ts';
import { startSecureServer } from '../../secure-server.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';

const withKey = (key: KeyEncryptionKey | undefined): AnyPlugin[] => [...BUILT_IN, keptKeyPlugin(key)];
const STORE = '[store]\nurl = "sqlite:gatehouse.db"\n';
/** Longer than any delay between two attempts. */
const RETRY_MS = 10_001;

async function newKey(server: TestServer, cookie: string): Promise<string> {
  const made = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
  assert.equal(made.status, 200, made.text);
  return made.body.kid as string;
}

const encrypt = (server: TestServer, cookie: string, kid: string) =>
  server.ask('POST', '/v1/crypto/encrypt', { cookie, body: { kid, alg: 'dir', enc: 'A256GCM', data: 'aGVsbG8' } });

const signIn = async (server: TestServer) => (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;

const sealedLines = ({ lines }: TestServer) => lines.filter(({ msg }) => /^the key server is (un)?sealed/.test(String(msg)));

/** The key server is unsealed, and all its threads run that do not rest. */
async function unsealed(server: TestServer): Promise<void> {
  await server.runtime.advance(RETRY_MS);
  await until(
    () => server.runtime.groups.get('kmip')?.supervisors.every(({ state }) => state === 'running' || state === 'resting') ?? false,
    'the key server is unsealed',
  );
}

async function readAll(socket: TLSSocket): Promise<Uint8Array> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    if (bytes.length >= 8 && bytes.length >= 8 + bytes.readUInt32BE(4)) break;
  }
  return new Uint8Array(bytes);
}

async function rowsIn(dataDir: string): Promise<DataKeyRow[]> {
  const store = await openStore(`sqlite:${dataDir}/gatehouse.db`, { writer: 'test', clock: createClock() });
  try {
    return await dataKeyRows(store);
  } finally {
    await store.close();
  }
}

/** A message of KMIP 2.1 with one operation. */
const QUERY = encodeBinary(
  structure(TAG.RequestMessage, [
    structure(TAG.RequestHeader, [
      structure(TAG.ProtocolVersion, [integer(TAG.ProtocolVersionMajor, 2), integer(TAG.ProtocolVersionMinor, 1)]),
      integer(TAG.BatchCount, 1),
    ]),
    structure(TAG.BatchItem, [
      enumeration(TAG.Operation, ENUM.Operation.Query),
      structure(TAG.RequestPayload, [enumeration(TAG.QueryFunction, ENUM.QueryFunction.QueryOperations)]),
    ]),
  ]),
);

test('without the key at the first start people sign in and keys are sealed; with it back, keys work', async () => {
  const key = keptKey();
  key.isAway = true;
  const server = await startSecureServer({ plugins: withKey(key), config: '[keys.kmip_listener]\nenabled = true\nport = 0\n' });
  try {
    assert.match(
      server.announcements.join('\n'),
      /the key server is sealed \(the token is not in its slot\); sign-in works, and the key server unseals by itself when/,
    );
    const cookie = await signInAdmin(server);
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    assert.equal((await server.ask('GET', '/server-info', { cookie })).status, 200);
    for (const [method, path, body] of [
      ['POST', '/kmip/2_1', { tag: 'Query', value: [] }],
      ['POST', '/kmip', { tag: 'RequestMessage', value: [] }],
      ['GET', '/access/owned', undefined],
    ] as const) {
      const { status, body: problem, headers } = await server.ask(method, path, { cookie, ...(body ? { body } : {}) });
      assert.deepEqual([status, problem.code, headers['retry-after']], [503, 'KEY_SERVER_SEALED', '1'], path);
      assert.equal(problem.message, 'the key server is sealed: its key-encryption key cannot be reached; try again later');
    }
    const jose = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
    assert.deepEqual([jose.status, jose.body.error], [503, 'key_server_sealed']);
    const socket = server.dial(server.kmipPort(), await server.client('ann'));
    await once(socket, 'secureConnect');
    socket.write(QUERY);
    const item = required(structureOf(decodeBinary(await readAll(socket)), TAG.BatchItem), TAG.BatchItem);
    assert.match(textOf(item, TAG.ResultMessage) ?? '', /^KEY_SERVER_SEALED: the key server is sealed/);
    const ready = await server.ask('GET', '/ready');
    assert.equal(ready.status, 503);
    assert.ok(ready.body.not_ready.includes('key server: sealed, its key-encryption key cannot be used: the token is not in its slot'), ready.text);
    assert.match(ready.text, /"kmip[^"]*: sealed"/);
    const metrics = (await server.ask('GET', '/metrics')).text;
    assert.match(metrics, /gatehouse_key_server_sealed 1/);
    assert.match(metrics, /gatehouse_actor_state\{actor="kmip",key="0",state="sealed"\} 1/);
    assert.match(metrics, /gatehouse_actor_restarts_total\{actor="kmip",key="0"\} 0/);
    // It is tried again, told once, and what runs regularly says nothing of it.
    const before = key.calls;
    for (let round = 0; round < 8; round++) await server.runtime.advance(RETRY_MS);
    await until(() => key.calls > before, 'it is tried again');
    assert.deepEqual(
      sealedLines(server).map(({ key_encryption_key: id, reason }) => [id, reason]),
      [['vault::kek', 'the token is not in its slot']],
    );
    assert.ok(!server.lines.some(({ msg }) => /cannot rotate/.test(String(msg))));
    key.isAway = false;
    await unsealed(server);
    const kid = await newKey(server, cookie);
    assert.equal((await encrypt(server, cookie, kid)).status, 200);
    socket.write(QUERY);
    const served = required(structureOf(decodeBinary(await readAll(socket)), TAG.BatchItem), TAG.BatchItem);
    assert.doesNotMatch(textOf(served, TAG.ResultMessage) ?? '', /SEALED/);
    assert.deepEqual([(await server.ask('GET', '/ready')).status, sealedLines(server).at(-1)?.['msg']], [200, 'the key server is unsealed']);
    assert.match((await server.ask('GET', '/metrics')).text, /gatehouse_key_server_sealed 0/);
  } finally {
    await server.end();
  }
});

test('threads that run keep their data key when the key goes away; those that start again wait for it', async () => {
  const key = keptKey();
  // The thread of the front does not start again: what lives beside it would keep the data key.
  const server = await startServer({ plugins: withKey(key), config: '[keys]\nplacement = "own"\n' });
  try {
    const cookie = await signInAdmin(server);
    const kid = await newKey(server, cookie);
    key.isAway = true;
    const [first, ...others] = server.runtime.groups.get('kmip')?.supervisors ?? [];
    await first?.incarnation?.kill();
    await server.runtime.advance(1_000);
    await until(() => first?.state === 'sealed', 'the thread that was lost waits');
    assert.match((await server.ask('GET', '/ready')).text, /key server: sealed/);
    if (others.length > 0) assert.equal((await encrypt(server, cookie, kid)).status, 200);
    for (const cell of others) await cell.incarnation?.kill();
    await server.runtime.advance(1_000);
    await until(() => others.every(({ state }) => state === 'sealed'), 'all of them wait');
    assert.equal((await encrypt(server, cookie, kid)).status, 503);
    key.isAway = false;
    await unsealed(server);
    assert.equal((await encrypt(server, cookie, kid)).status, 200);
  } finally {
    await server.end();
  }
});

test('a wrong key, another name, no key and the root key each stop the start, and no new key is made', async () => {
  const folder = temporaryFolder();
  const start = (plugins: readonly AnyPlugin[], name = 'kept') => startServer({ plugins, config: STORE, dataDir: join(folder, name) });
  const key = keptKey();
  const server = await start(withKey(key));
  const cookie = await signInAdmin(server);
  const kid = await newKey(server, cookie);
  await server.end();
  const rows = await rowsIn(join(folder, 'kept'));
  assert.deepEqual(rows.map((row) => [row.purpose, pluginKeyIn(row)?.id]).sort(), [
    ['auth', undefined],
    ['documents', undefined],
    ['keys', 'vault::kek'],
  ]);
  await assert.rejects(start(withKey(keptKey())), /the key-encryption key vault::kek does not open the data key of the key server: /);
  await assert.rejects(start(withKey(keptKey('vault::other'))), /is wrapped by the key-encryption key vault::kek; configure that key instead of vault::other/);
  await assert.rejects(start(withKey(undefined)), /is wrapped by the key-encryption key vault::kek; configure that key/);
  await assert.rejects(
    start([...withKey(key), keptKeyPlugin(key, 'second')]),
    /plugin second: the plugin kept_key already provides the key-encryption key of the key server/,
  );
  await assert.rejects(start(withKey(keptKey('a\0b'))), /the identifier of its key-encryption key must have 1 to 256 characters/);
  await (await start(withKey(undefined), 'plain')).end();
  await assert.rejects(start(withKey(key), 'plain'), /is wrapped by the root key; start without the key-encryption key vault::kek/);
  assert.deepEqual(await rowsIn(join(folder, 'kept')), rows);
  const again = await start(withKey(key));
  assert.equal((await encrypt(again, await signIn(again), kid)).status, 200);
  await again.end();
  rmSync(folder, { recursive: true });
});

test('a rotation of the root key leaves what the other key wraps, and a backup opens with both keys', async () => {
  const folder = temporaryFolder();
  const bytes = randomBytes(32);
  const plugins = withKey(keptKey('vault::kek', bytes));
  const place = (name: string) => ({ plugins, config: STORE, dataDir: join(folder, name) });
  const server = await startServer(place('first'));
  const cookie = await signInAdmin(server);
  const kid = await newKey(server, cookie);
  await server.end();
  const wrapped = async (name: string) => (await rowsIn(join(folder, name))).find(({ purpose }) => purpose === 'keys')?.wrapped;
  const before = await wrapped('first');
  const rotated = await startServer({ ...place('first'), argv: ['--rotate-kek'] });
  assert.equal((await encrypt(rotated, await signIn(rotated), kid)).status, 200);
  await rotated.end();
  assert.deepEqual(await wrapped('first'), before);
  const config = join(folder, 'config.toml');
  writeFileSync(config, STORE);
  const options = (name: string) => ({ plugins, version: '0.0.0-test', argv: ['--config', config, '--data-dir', join(folder, name)], env: {} });
  await backUp(options('first'), join(folder, 'a.backup'));
  mkdirSync(join(folder, 'second'), { mode: 0o700 });
  copyFileSync(join(folder, 'first', 'root.key'), join(folder, 'second', 'root.key'));
  await restore(options('second'), join(folder, 'a.backup'));
  const restored = await startServer({ ...place('second'), plugins: withKey(keptKey('vault::kek', bytes)) });
  assert.equal((await encrypt(restored, await signIn(restored), kid)).status, 200);
  await restored.end();
  rmSync(folder, { recursive: true });
});

test.run();
