// The state of the server for super admins, and the audit log from its newest row.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { people } from '../../people.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

// covers: GET /operations/status, GET /operations/config, GET /operations/metrics

let server: TestServer;
let root: string;
test.before(async () => {
  server = await startServer();
  root = await signInAdmin(server);
});
test.after(() => server?.end());

test('super admins see what is not ready and the metrics of all threads; nobody else does', async () => {
  const status = await server.ask('GET', '/operations/status', { cookie: root });
  assert.deepEqual([status.status, status.body], [200, { version: '0.0.0-test', not_ready: [], degraded: [] }]);
  const metrics = await server.ask('GET', '/operations/metrics', { cookie: root });
  assert.match(String(metrics.headers['content-type']), /^text\/plain; version=0\.0\.4/);
  assert.ok(/^gatehouse_actor_state\{actor="directory",key="main",state="running"\} 1$/m.test(metrics.text));
  assert.ok(/^gatehouse_logins_total\{outcome="Authenticated"\} \d+$/m.test(metrics.text));
  const some = people(server, root);
  await some.realm('team');
  const lead = await some.realmAdmin('team', 'lead');
  for (const path of ['/operations/status', '/operations/config', '/operations/metrics'])
    assert.deepEqual([(await server.ask('GET', path, { cookie: lead })).status, (await server.ask('GET', path)).status], [403, 401], path);
});

test('super admins see the configuration in use and where it comes from, and no secret', async () => {
  const { status, body, text } = await server.ask('GET', '/operations/config', { cookie: root });
  assert.equal(status, 200, text);
  const settings = new Map((body.settings as { key: string; value: unknown; source: string }[]).map(({ key, ...rest }) => [key, rest]));
  assert.deepEqual(settings.get('auth.publish_session_jwks'), { value: false, source: 'default' });
  assert.equal(settings.get('store.root_key')?.value, '');
  assert.equal(settings.get('store.url')?.value, '(secret)');
  assert.ok(settings.has('http.port') && settings.has('plugins'));
});

test('the audit log from its newest row is the log from its oldest, backwards, page by page', async () => {
  const all = async (order: string) => {
    const rows: { stream: string; seq: number; time: number }[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body, status } = await server.ask('GET', `/audit?realm=team&order=${order}&limit=2${cursor === '' ? '' : `&after=${cursor}`}`, { cookie: root });
      assert.equal(status, 200);
      assert.ok(body.events.length <= 2);
      rows.push(...body.events);
      cursor = body.next as string | null;
    }
    return rows.map(({ stream, seq }) => `${stream} ${seq}`);
  };
  const newest = await all('newest');
  assert.ok(newest.length >= 3, String(newest.length));
  assert.deepEqual(newest, (await all('oldest')).toReversed());
  assert.equal((await server.ask('GET', '/audit?order=random', { cookie: root })).status, 400);
});

test.run();
