// A database that fails is no refusal: who asks meanwhile is told to come back, and the audit log has no row of a refusal that was none.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import { startSecureServer } from '../secure-server.ts';
import { type Answer, type Ask, type AskOptions, signInAdmin, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases({ isOwn: true });
test.after(async () => void (await Promise.all(databases.map((database) => database.stop()))));

type Json = { readonly tag: string; readonly type?: string; readonly value: unknown };
const id = (value: string): Json => ({ tag: 'UniqueIdentifier', type: 'TextString', value });
const enumeration = (tag: string, value: string): Json => ({ tag, type: 'Enumeration', value });
const integer = (tag: string, value: number): Json => ({ tag, type: 'Integer', value });
const bare = (tag: string, ...value: Json[]): AskOptions => ({ body: { tag, value } });
const ATTRIBUTES = {
  tag: 'Attributes',
  value: [enumeration('CryptographicAlgorithm', 'AES'), integer('CryptographicLength', 256), integer('CryptographicUsageMask', 12)],
};
const CREATE = [enumeration('ObjectType', 'SymmetricKey'), ATTRIBUTES];

function message(...items: readonly [string, ...Json[]][]): AskOptions {
  const version = { tag: 'ProtocolVersion', value: [integer('ProtocolVersionMajor', 2), integer('ProtocolVersionMinor', 1)] };
  const header = {
    tag: 'RequestHeader',
    value: [version, enumeration('BatchErrorContinuationOption', 'Continue'), integer('BatchCount', items.length)],
  };
  const batch = items.map(([operation, ...payload]) => ({
    tag: 'BatchItem',
    value: [enumeration('Operation', operation), { tag: 'RequestPayload', value: payload }],
  }));
  return { body: { tag: 'RequestMessage', value: [header, ...batch] } };
}

/** `Status Reason: message` of each item. */
function itemsOf({ status, body, text }: Answer): string[] {
  assert.equal(status, 200, text);
  const items = (body.value as Json[]).filter(({ tag }) => tag === 'BatchItem');
  return items.map(({ value }) => {
    const member = (name: string) => (value as Json[]).find(({ tag }) => tag === name)?.value ?? '';
    return `${member('ResultStatus')} ${member('ResultReason')}: ${member('ResultMessage')}`;
  });
}

/** Whatever writes: what would succeed, and what would be refused and writes a row of it. */
const REQUESTS: readonly (readonly [string, (ask: Ask, key: string) => Promise<Answer>])[] = [
  ['Create', (ask) => ask('POST', '/kmip/2_1', { ...bare('Create', ...CREATE) })],
  ['Revoke', (ask, key) => ask('POST', '/kmip/2_1', { ...bare('Activate', id(key)) })],
  ['a refusal of Get', (ask) => ask('POST', '/kmip/2_1', { ...bare('Get', id('nothing')) })],
  ['a key of the crypto API', (ask) => ask('POST', '/v1/crypto/keys', { body: { kty: 'oct', alg: 'A256GCM' } })],
  ['tags', (ask, key) => ask('POST', `/v1/crypto/keys/${key}/tags`, { body: { tags: ['one'] } })],
  ['a refusal of the crypto API', (ask) => ask('DELETE', '/v1/crypto/keys/nothing')],
  ['a grant', (ask, key) => ask('POST', '/access/grant', { body: { unique_identifier: key, user_id: 'bob', operation_types: ['get'] } })],
  ['a refused grant', (ask) => ask('POST', '/access/grant', { body: { unique_identifier: 'nothing', user_id: 'bob', operation_types: ['get'] } })],
  ['a login', (ask) => ask('POST', '/login?realm=_', { user: 'admin:a new password' })],
  ['a refused login', (ask) => ask('POST', '/login?realm=_', { user: 'nobody:a wrong password' })],
];

async function refusalsIn(server: TestServer, cookie: string): Promise<Json[]> {
  const { body, status, text } = await server.ask('GET', '/audit?limit=1000', { cookie });
  assert.equal(status, 200, text);
  return body.events.filter(({ outcome }: { outcome: string }) => outcome !== 'success');
}

/** The owner of the keys shows a certificate, which needs no look into the database. */
async function prepared(config: string) {
  const server = await startSecureServer({ config });
  const cookie = await signInAdmin(server);
  const owner = server.as(await server.client('owner'));
  const made = await owner('POST', '/kmip/2_1', { ...bare('Create', ...CREATE) });
  assert.equal(made.status, 200, made.text);
  return { server, cookie, owner, key: made.body.value.find(({ tag }: Json) => tag === 'UniqueIdentifier').value as string };
}

/** Another process that holds the write lock of the file. */
async function locking(file: string): Promise<ChildProcess> {
  const program = `const db = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)}, { timeout: 5000 }); db.exec('BEGIN IMMEDIATE'); console.log('locked'); process.stdin.resume()`;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

function assertComeBack(title: string, { status, headers, text }: Answer): void {
  assert.equal(status, 503, `${title}: ${status} ${text}`);
  assert.ok(Number(headers['retry-after']) >= 1, `${title}: no Retry-After`);
}

/** A transaction waits five seconds for the lock of the file: longer than once, shorter than twice. */
const LOCKED_MS = 7_500;

test('a locked file of SQLite', async () => {
  const { server, cookie, owner, key } = await prepared('');
  const file = join(dirname(server.file('beside', '')), 'data', 'gatehouse.db');
  let lock: ChildProcess | undefined;
  try {
    const before = await refusalsIn(server, cookie);
    lock = await locking(file);
    const asked = REQUESTS.map(async ([title, request]) => [title, await request(owner, key)] as const);
    const batch = owner('POST', '/kmip/2_1', { ...message(['Create', ...CREATE], ['Get', id('nothing')], ['GetAttributes', id(key)]) });
    const undoable = message(['Create', ...CREATE]);
    const whole = owner('POST', '/kmip/2_1', JSON.parse(JSON.stringify(undoable).replace('"Continue"', '"Undo"')));
    for (const [title, answer] of await Promise.all(asked)) assertComeBack(title, answer);
    const busy = /^OperationFailed GeneralFailure: OVERLOADED: .*try again/;
    const [first, get, attributes, ...more] = itemsOf(await batch);
    assert.match(String(first), busy);
    assert.match(String(get), busy);
    assert.deepEqual([attributes, ...more], ['Success : ']);
    assert.match(String(itemsOf(await whole)[0]), busy);
    // The row of a refusal could be written now, while the one who asked still waits.
    const create = owner('POST', '/kmip/2_1', { ...bare('Create', ...CREATE) });
    setTimeout(() => lock?.kill(), LOCKED_MS);
    assertComeBack('Create', await create);
    if (lock.signalCode === null) await new Promise((resolve) => lock?.once('exit', resolve));
    assert.deepEqual(await refusalsIn(server, cookie), before);
    // The same request once more, now that it can be served.
    assert.equal((await owner('POST', '/kmip/2_1', { ...bare('Create', ...CREATE) })).status, 200);
    assert.equal((await owner('POST', '/kmip/2_1', { ...bare('Get', id('nothing')) })).status, 422);
    assert.equal((await refusalsIn(server, cookie)).length, before.length + 1);
  } finally {
    lock?.kill();
    await server.end();
  }
});

for (const { postgres } of databases) {
  if (!postgres) continue;
  test('a PostgreSQL that has stopped', async () => {
    const { server, cookie, owner, key } = await prepared(`[store]\nurl = "${await postgres.database()}"\n`);
    try {
      const before = await refusalsIn(server, cookie);
      await postgres.crash();
      for (const [title, request] of REQUESTS) assertComeBack(title, await request(owner, key));
      const items = itemsOf(await owner('POST', '/kmip/2_1', { ...message(['Create', ...CREATE], ['Get', id(key)]) }));
      assert.equal(items.length, 2);
      for (const item of items) assert.match(item, /^OperationFailed GeneralFailure: UNAVAILABLE: /);
      await postgres.start();
      assert.deepEqual(await refusalsIn(server, cookie), before);
      assertRefused(await owner('POST', '/kmip/2_1', { ...bare('Get', id('nothing')) }));
    } finally {
      await server.end();
    }
  });
}

function assertRefused({ status, text }: Answer): void {
  assert.equal(status, 422, text);
}

test.run();
