// The routes of the key server: what reaches the actor, how answers leave, and how refusals are worded.
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { test } from 'uvu';
import { until } from '../../runtime.ts';
import { type Answer, type AskOptions, signInAdmin, startServer, type TestServer } from '../../server.ts';
import { ECHOING } from './setup.ts';

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer({ plugins: ECHOING, config: '[http]\nbody_limit = 4096\n' });
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

const ask = (method: Parameters<TestServer['ask']>[0], path: string, options: AskOptions = {}) => server.ask(method, path, { cookie, ...options });
const caller = { user: '_/admin', realm: '_', scheme: 'up', source: '127.0.0.1' };

function usual({ status, body, text }: Answer, code: string, wanted: number): void {
  assert.equal(status, wanted, text);
  assert.deepEqual(Object.keys(body), ['code', 'message', 'errors', 'request_id']);
  assert.equal(body.code, code);
}

test('POST /kmip/2_1 and POST /kmip/1_4: the bytes of a JSON body reach the actor as they are', async () => {
  for (const [path, endpoint] of [
    ['/kmip/2_1', '2_1'],
    ['/kmip/1_4', '1_4'],
    ['/kmip', 'any'],
  ] as const) {
    const answer = await ask('POST', path, { body: '{"tag": "Créate",\n}' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { args, ...seen } = answer.body;
    assert.deepEqual(seen, { encoding: 'json', endpoint, caller, length: 20, text: Buffer.from('{"tag": "Créate",\n}').toString('latin1') });
    assert.deepEqual(args, {
      version: '0.0.0-test',
      vendorIdentification: 'gatehouse',
      privilegedUsers: [],
      keyEncryptionKeys: [],
      selfTests: false,
      quotas: {
        objects_per_identity: 1_000_000,
        object_bytes_per_identity: 10_737_418_240,
        objects_per_realm: 10_000_000,
        object_bytes_per_realm: 107_374_182_400,
        grants_per_identity: 1_000_000,
      },
      jsonNames: 'profile',
      defaultUnwrapType: [],
      algorithms: [],
      maxSealsPerDataKey: 2 ** 28,
      asynchronous: { requestsPerIdentity: 1_000, requests: 20_000, resultSeconds: 3_600 },
    });
  }
});

test('POST /kmip takes binary and XML by content type, and answers in kind', async () => {
  const binary = await ask('POST', '/kmip', { body: 'bytes', headers: { 'content-type': 'application/octet-stream' } });
  assert.deepEqual([binary.status, binary.headers['content-type'], binary.text], [200, 'application/octet-stream', 'bytes<_/admin>']);
  for (const type of ['text/xml', 'application/xml; charset=utf-8', 'TEXT/XML']) {
    const xml = await ask('POST', '/kmip', { body: '<a/>', headers: { 'content-type': type } });
    assert.deepEqual([xml.status, xml.headers['content-type'], xml.body.encoding], [200, 'text/xml; charset=utf-8', 'xml'], type);
  }
});

test('other content types are 400 that names what is taken', async () => {
  const types: [string, string[]][] = [
    ['/kmip/2_1', ['application/octet-stream', 'text/xml', 'text/plain', 'application/jsonx', '']],
    ['/kmip/1_4', ['text/xml']],
    ['/kmip', ['text/plain', 'application/x-www-form-urlencoded']],
  ];
  for (const [path, refused] of types) {
    for (const type of refused) {
      const answer = await ask('POST', path, { body: '{}', headers: { 'content-type': type } });
      usual(answer, 'BAD_REQUEST', 400);
      assert.match(answer.body.message, /^the content type must be .*application\/json/);
    }
  }
});

test("the status of the answer is the actor's; without authentication the body is not read", async () => {
  assert.equal((await ask('POST', '/kmip/2_1', { body: '"REFUSED"' })).status, 422);
  usual(await server.ask('POST', '/kmip/2_1', { body: 'x'.repeat(100_000) }), 'UNAUTHENTICATED', 401);
  usual(await ask('POST', '/kmip/2_1', { body: '"FAULT"' }), 'OVERLOADED', 503);
  usual(await ask('POST', '/kmip/2_1', { body: '"BUG"' }), 'INTERNAL', 500);
  usual(await ask('GET', '/kmip/2_1'), 'METHOD_NOT_ALLOWED', 405);
  usual(await ask('POST', '/kmip/2_1', { body: {}, headers: { origin: 'https://evil.example' } }), 'FORBIDDEN', 403);
  usual(await ask('POST', '/kmip/3_0', { body: {} }), 'NOT_FOUND', 404);
});

test("an empty body is the actor's to refuse", async () => {
  const answer = await ask('POST', '/kmip/2_1', { headers: { 'content-type': 'application/json' } });
  assert.deepEqual([answer.status, answer.body.length], [200, 0]);
});

test('messages may be larger than the limit of other bodies, up to 64 MiB', async () => {
  const large = await ask('POST', '/kmip', { body: 'x'.repeat(8_000_000), headers: { 'content-type': 'text/xml' } });
  assert.deepEqual([large.status, large.body.length], [200, 8_000_000]);
  assert.equal(await announced('/kmip', 67_108_865), 413);
  assert.equal(await announced('/v1/crypto/encrypt', 16_777_217), 413);
  usual(await ask('POST', '/access/grant', { body: { user_id: 'x'.repeat(5_000), operation_types: ['get'] } }), 'PAYLOAD_TOO_LARGE', 413);
});

/** The status that a body is refused with by its announced length. */
function announced(path: string, length: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { cookie: `_ea_=${cookie}`, 'content-type': 'application/json', 'content-length': String(length) };
    const sent = request(`${server.address}${path}`, { method: 'POST', headers, rejectUnauthorized: false }, ({ statusCode }) => {
      resolve(statusCode);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

// covers: POST /v1/crypto/encrypt, POST /v1/crypto/decrypt, POST /v1/crypto/sign, POST /v1/crypto/verify, POST /v1/crypto/mac, POST /v1/crypto/keys
// covers: POST /v1/crypto/keys/unwrap, DELETE /v1/crypto/keys/{kid}
// covers: GET /v1/crypto/keys/{kid}/tags, POST /v1/crypto/keys/{kid}/tags, DELETE /v1/crypto/keys/{kid}/tags
test('REST crypto: each call reaches the actor with its name, its key and its body', async () => {
  const calls: [Parameters<TestServer['ask']>[0], string, object, boolean][] = [
    ['POST', '/encrypt', { name: 'encrypt' }, true],
    ['POST', '/decrypt', { name: 'decrypt' }, true],
    ['POST', '/sign', { name: 'sign' }, true],
    ['POST', '/verify', { name: 'verify' }, true],
    ['POST', '/mac', { name: 'mac' }, true],
    ['POST', '/keys', { name: 'createKey' }, true],
    ['POST', '/keys/unwrap', { name: 'unwrapKey' }, true],
    ['GET', '/keys/k1/tags', { name: 'getTags', kid: 'k1' }, false],
    ['POST', '/keys/k1/tags', { name: 'addTags', kid: 'k1' }, true],
    ['DELETE', '/keys/k1/tags', { name: 'deleteTags', kid: 'k1' }, true],
  ];
  for (const [method, path, call, takesBody] of calls) {
    const answer = await ask(method, `/v1/crypto${path}`, takesBody ? { body: '{"kid": 1}' } : {});
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(answer.body, { call, body: takesBody ? '{"kid": 1}' : '', caller });
  }
  const deleted = await ask('DELETE', '/v1/crypto/keys/k1');
  assert.deepEqual([deleted.status, deleted.text, deleted.headers['content-type']], [204, '', undefined]);
});

test('REST crypto: a key id of any text arrives as it was meant, and none is an internal error', async () => {
  for (const kid of ['a/b', 'a%2Fb', '"quoted"', 'nul\0nul', 'é😀', ' ', "'; DROP TABLE kms_object; --", 'k'.repeat(300), '*', 'hsm::soft_hsm::0::key'])
    assert.deepEqual((await ask('GET', `/v1/crypto/keys/${encodeURIComponent(kid)}/tags`)).body?.call?.kid, kid, kid);
  const tooLong = await ask('GET', `/v1/crypto/keys/${'k'.repeat(1_025)}/tags`);
  assert.deepEqual([tooLong.status, tooLong.body.error], [404, 'not_found']);
  usual(await ask('GET', '/v1/crypto/keys/%FF/tags'), 'BAD_REQUEST', 400);
});

test('REST crypto: refusals after authentication are {error, description}', async () => {
  const is = (answer: Answer, status: number, error: string) => {
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(Object.keys(answer.body), ['error', 'description']);
    assert.equal(answer.body.error, error);
  };
  is(await ask('POST', '/v1/crypto/encrypt', { body: '{}', headers: { 'content-type': 'text/plain' } }), 400, 'bad_request');
  const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  is(await ask('POST', '/v1/crypto/encrypt', { body: '{}', headers: gzip }), 415, 'unsupported_media_type');
  is(await ask('GET', '/v1/crypto/keys/KEYS_OBJECT_NOT_FOUND/tags'), 404, 'not_found');
  is(await ask('GET', '/v1/crypto/keys/KEYS_NOT_OWNER/tags'), 403, 'forbidden');
  is(await ask('GET', '/v1/crypto/keys/KEYS_BUG/tags'), 500, 'internal_error');
  usual(await server.ask('POST', '/v1/crypto/encrypt', { body: {} }), 'UNAUTHENTICATED', 401);
  usual(await ask('GET', '/v1/crypto/encrypt'), 'METHOD_NOT_ALLOWED', 405);
});

// covers: GET /access/owned GET /access/obtained GET /access/list/{object_id} GET /access/create GET /access/privileged
test('the lists of grants: owned, obtained, of one object, of creators, of privileged users', async () => {
  assert.deepEqual((await ask('GET', '/access/owned')).body, [{ object_id: 'one', state: 'Active', attributes: { owner: '_/admin' } }]);
  assert.deepEqual((await ask('GET', '/access/obtained')).body, [{ object_id: 'two', owner_id: '_/admin', state: 'Active', operations: ['get'] }]);
  assert.equal((await ask('GET', '/access/list/hsm::soft_hsm::0::a%2Fb')).body[0].user_id, '_/admin on hsm::soft_hsm::0::a/b');
  assert.deepEqual((await ask('GET', '/access/create')).body, { has_create_permission: true });
  assert.deepEqual((await ask('GET', '/access/privileged')).body, { has_privileged_access: false });
});

test('POST /access/grant and POST /access/revoke keep the spelling; without an object: the right to create', async () => {
  const body = { unique_identifier: 'k1', user_id: 'bob', operation_types: ['get', 'SignatureVerify', 'signature_verify', 'Derive Key'] };
  assert.deepEqual((await ask('POST', '/access/grant', { body })).body, { success: 'Access for bob on k1 successfully added' });
  assert.deepEqual((await ask('GET', '/access/list/k1')).body[0].operations, body.operation_types);
  assert.deepEqual((await ask('POST', '/access/revoke', { body })).body, { success: 'Access for bob on k1 successfully deleted' });
  const create = { user_id: 'bob', operation_types: ['create'] };
  assert.deepEqual((await ask('POST', '/access/grant', { body: create })).body, { success: 'Access for bob on * successfully added' });
});

test('POST /access/grant: what is wrong is named, and refusals are faults of their own', async () => {
  const grant = (body: unknown) => ask('POST', '/access/grant', { body });
  for (const body of [
    {},
    { user_id: 'bob' },
    { user_id: '', operation_types: ['get'] },
    { user_id: 'bob', operation_types: [] },
    { user_id: 'bob', operation_types: ['a\u0000'] },
    { user_id: 'bob', operation_types: ['get'], more: 1 },
  ])
    usual(await grant(body), 'BAD_REQUEST', 400);
  usual(await grant({ user_id: 'KEYS_GRANT_SELF', operation_types: ['get'] }), 'KEYS_GRANT_SELF', 403);
  usual(await grant({ unique_identifier: 'KEYS_NOT_OWNER', user_id: 'bob', operation_types: ['get'] }), 'KEYS_NOT_OWNER', 403);
  usual(await grant({ unique_identifier: 'KEYS_OBJECT_NOT_FOUND', user_id: 'bob', operation_types: ['get'] }), 'KEYS_OBJECT_NOT_FOUND', 404);
  usual(await grant({ user_id: 'KEYS_REFUSED', operation_types: ['get'] }), 'KEYS_REFUSED', 422);
  usual(await grant({ user_id: 'KEYS_NOT_PRIVILEGED', operation_types: ['create'] }), 'KEYS_NOT_PRIVILEGED', 403);
});

test('POST /access/check: one answer for each operation', async () => {
  const check = (body: unknown) => ask('POST', '/access/check', { body });
  assert.deepEqual((await check({ unique_identifier: 'k', operation_types: ['Get', 'MAC'] })).body, { allowed: { 'Get own': true, 'MAC own': true } });
  assert.deepEqual((await check({ unique_identifier: 'k', user_id: 'bob', operation_types: ['get'] })).body, { allowed: { 'get bob': true } });
  usual(await check({ operation_types: ['get'] }), 'BAD_REQUEST', 400);
});

test('operations are counted by name and outcome', async () => {
  const { text } = await ask('GET', '/metrics');
  assert.match(text, /^gatehouse_kmip_operations_total\{operation="Create",outcome="Success"\} \d+$/m);
  assert.match(text, /^gatehouse_kmip_operations_total\{operation="Get",outcome="Item_Not_Found"\} \d+$/m);
  assert.match(text, /^gatehouse_kmip_operations_total\{operation="Destroy",outcome="Success"\} \d+$/m);
});

test('keys that are due are looked for at every interval of the clock', async () => {
  const looks = () => server.runtime.groups.get('kmip')?.supervisors[0]?.status?.detail ?? 0;
  const before = looks() as number;
  await server.runtime.advance(61_000);
  await until(() => looks() === before + 1, 'the first look');
  await server.runtime.advance(61_000);
  await until(() => looks() === before + 2, 'the second look');
});

test('the document tells what each endpoint takes and answers', async () => {
  const { text } = await server.ask('GET', '/openapi.yaml');
  for (const tag of ['KMIP', 'REST Crypto API', 'Access control', 'Server']) assert.ok(text.includes(`- ${tag}\n`), tag);
  for (const path of ['/kmip/2_1', '/kmip/1_4', '/kmip', '/v1/crypto/keys/{kid}/tags', '/access/list/{object_id}', '/me', '/server-info'])
    assert.ok(text.includes(`  ${path}:\n`), path);
  assert.ok(text.includes('RequestMessage'));
});

test.run();
