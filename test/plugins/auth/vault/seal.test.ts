// /v1/sys/health, /v1/sys/seal-status and /v1/sys/init: what they say while the server serves and while it cannot, and the statuses that may be asked for.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import { openStore } from '../../../../kernel/store/open.ts';
import { startServer, type TestServer } from '../../../server.ts';

let server: TestServer;
test.before(async () => {
  server = await startServer();
});
test.after(() => server?.end());

const ACTIVE = {
  ...{ initialized: true, sealed: false, standby: false, performance_standby: false },
  ...{ replication_performance_mode: 'disabled', replication_dr_mode: 'disabled', version: '0.0.0-test' },
};

// covers: GET /v1/sys/health
test('health is 200 with what clients read, or the status that they ask for', async () => {
  const before = Math.floor(server.clock.now() / 1000);
  for (const [query, status] of [
    ['', 200],
    ['?activecode=299', 299],
    ['?standbyok=true&standbycode=299&sealedcode=299&uninitcode=299&drsecondarycode=299&performancestandbycode=299&haunhealhty=299', 200],
  ] as const) {
    const answer = await server.ask('GET', `/v1/sys/health${query}`);
    const { server_time_utc, ...body } = answer.body;
    assert.deepEqual([answer.status, body, answer.headers['content-type']], [status, ACTIVE, 'application/json']);
    assert.ok(server_time_utc >= before && server_time_utc <= before + 60);
  }
  const head = await server.ask('HEAD', '/v1/sys/health');
  assert.deepEqual([head.status, head.text], [200, '']);
  const empty = await server.ask('GET', '/v1/sys/health?activecode=204');
  assert.deepEqual([empty.status, empty.text], [204, '']);
});

test('a status that cannot be one is refused', async () => {
  for (const code of ['abc', '0', '199', '600', '-1', '1e9', '', '200.5']) {
    const { status, body } = await server.ask('GET', `/v1/sys/health?activecode=${code}`);
    assert.deepEqual([status, Object.keys(body)], [400, ['errors']], code);
  }
});

test('for every requested status the answer is as described, with a body where HTTP allows one', async () => {
  const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml') as { parse(text: string): Described };
  const { responses } = parse((await server.ask('GET', '/openapi.yaml')).text).paths['/v1/sys/health'].get;
  const wrong: string[] = [];
  for (let status = 200; status < 600; status += 1) {
    const answer = await server.ask('GET', `/v1/sys/health?activecode=${status}`);
    assert.equal(answer.status, status);
    const content = (responses[status] ?? responses['default'])?.content;
    assert.equal(answer.text === '', [204, 205, 304].includes(status), `${status}`);
    const fits = content ? answer.text !== '' && new Ajv2020().validate(content['application/json'].schema, answer.body) : answer.text === '';
    if (!fits) wrong.push(`${status} ${answer.text}`);
  }
  assert.deepEqual(wrong, []);
  // A refusal may have the status that was asked for.
  const refused = { errors: ['the server is too busy'] };
  for (const status of ['400', '429', '503'])
    assert.ok(new Ajv2020().validate(responses[status]?.content?.['application/json'].schema ?? false, refused), status);
});

interface Described {
  readonly paths: {
    readonly '/v1/sys/health': { readonly get: { readonly responses: Record<string, { readonly content?: { 'application/json': { schema: object } } }> } };
  };
}

// covers: GET /v1/sys/seal-status
test('seal-status tells that the server is open', async () => {
  const { status, body } = await server.ask('GET', '/v1/sys/seal-status');
  const { version, ...seal } = body;
  assert.deepEqual([status, version], [200, '0.0.0-test']);
  assert.deepEqual(seal, {
    ...{ type: 'static', initialized: true, sealed: false, t: 1, n: 1, progress: 0, nonce: '', migration: false, recovery_seal: false },
  });
});

test('where tokens cannot be looked at the server is as good as sealed, until they can', async () => {
  const store = await openStore(`sqlite:${join(server.dataDir, 'gatehouse.db')}`, { writer: 'test', clock: server.clock });
  const run = (sql: string) => store.transaction((tx) => tx.run(sql));
  const health = async (query = '') => {
    await server.runtime.advance(1_001);
    const { status, body } = await server.ask('GET', `/v1/sys/health${query}`);
    return [status, body.sealed];
  };
  try {
    await run('ALTER TABLE app_token RENAME TO app_token_away');
    assert.deepEqual(await health(), [503, true]);
    assert.deepEqual(await health('?sealedcode=299'), [299, true]);
    assert.equal((await server.ask('GET', '/v1/sys/seal-status')).body.sealed, true);
    await run('ALTER TABLE app_token_away RENAME TO app_token');
    assert.deepEqual(await health(), [200, false]);
  } finally {
    await store.close();
  }
});

// covers: GET /v1/sys/init
test('a server that answers was initialized, which anybody may ask', async () => {
  const { status, body, headers } = await server.ask('GET', '/v1/sys/init');
  assert.deepEqual([status, body, headers['content-type']], [200, { initialized: true }, 'application/json']);
  const other = await server.ask('GET', '/v1/sys/init', { headers: { 'x-vault-namespace': 'team' } });
  assert.deepEqual([other.status, Object.keys(other.body)], [404, ['errors']]);
});

test.run();
