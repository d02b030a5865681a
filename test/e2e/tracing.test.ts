// Traces of started servers at a collector: whole, each part within what it is part of, and without a secret.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import { IS_ON_POSTGRES } from '../database.ts';
import { type Collector, startCollector } from '../fakes/collector.ts';
import { bytes, done, identifier, kmip, makeSecret, PIN, startHsmServer } from '../plugins/hsm/hsm-server.ts';
import { until } from '../runtime.ts';
import { signInAdmin, startServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { callerTrace, collected } from './trace.ts';

// Passwords are hashed at the server's cost: the duration of the call is checked.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';

const DB = IS_ON_POSTGRES ? 'postgresql' : 'sqlite';
const HEADER = 'a secret of the collector';

const config = ({ endpoint }: Collector, more = '') =>
  `[tracing]\nendpoint = "${endpoint}"\nheaders = "x-key=${encodeURIComponent(HEADER)}"\nattributes = ["deployment.environment.name=test"]\n${more}\n`;

test('a sign-in arrives whole: request, actors, statements, one trace under the parent of the caller', async () => {
  const collector = await startCollector();
  const server = await startServer({ config: config(collector) });
  await signInAdmin(server);
  const asked = callerTrace();
  const answer = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password', headers: asked.headers });
  assert.equal(answer.status, 200);
  const trace = await collected(collector, asked.traceId, /^password\./, /^INSERT session/);
  trace.assertNested();
  const { root } = trace;
  assert.deepEqual([root.name, root.parentSpanId, root.kind, root.traceState], ['POST /login', asked.spanId, 2, 'vendor=abc'], String(trace));
  assert.deepEqual(
    [root.attributes['http.route'], root.attributes['http.response.status_code'], root.attributes['gatehouse.request_id']],
    ['/login', 200, answer.headers['x-request-id']],
  );
  const insert = trace.find(/^INSERT session/);
  assert.deepEqual(
    trace.lineOf(insert).map(({ name }) => name),
    ['POST /login', 'session.create', 'transaction', 'INSERT session'],
  );
  assert.deepEqual([insert.attributes['db.system.name'], insert.attributes['db.collection.name'], insert.kind], [DB, 'session', 3]);
  const call = trace.find(/^password\./);
  const { 'gatehouse.actor.wait_ms': wait, 'gatehouse.actor.run_ms': run } = call.attributes;
  assert.ok(Number(wait) >= 0 && Number(run) > 1 && Number(wait) + Number(run) <= Number(call.end - call.start) / 1e6 + 1, `${wait} ${run}`);
  const { 'service.name': service, 'deployment.environment.name': environment } = collector.resources[0] ?? {};
  assert.deepEqual([service, environment, collector.headers[0]?.['x-key']], ['gatehouse', 'test', HEADER]);
  await server.end();
  const all = collector.bodies.join('\n');
  for (const secret of ['a new password', Buffer.from('admin:a new password').toString('base64'), server.initialPassword, answer.cookie as string, HEADER])
    assert.ok(!all.includes(secret), secret);
  await collector.end();
});

test('the debug line of a request, its audit row and its span name the same request', async () => {
  const collector = await startCollector();
  const server = await startServer({ config: config(collector, '[log]\nlevel = "debug"') });
  const cookie = await signInAdmin(server);
  const asked = callerTrace();
  const made = await server.ask('POST', '/admins/realms', { cookie, headers: asked.headers, body: { id: 'team', auth_params: {} } });
  const id = made.headers['x-request-id'];
  const trace = await collected(collector, asked.traceId, /^INSERT audit/);
  assert.equal(trace.root.attributes['gatehouse.request_id'], id);
  const audit = await server.ask('GET', '/audit?order=newest', { cookie });
  assert.ok(audit.text.includes(`"request_id":"${id}"`), audit.text.slice(0, 500));
  const line = server.lines.find(({ msg, request_id }) => msg === 'request' && request_id === id);
  assert.equal(line?.['trace_id'], asked.traceId);
  await server.end();
  await collector.end();
});

test('a malformed parent is none, and what is not chosen is not sent; its log lines still name the trace', async () => {
  const collector = await startCollector();
  const server = await startServer({ config: config(collector, 'sample_ratio = 0\n[log]\nlevel = "debug"') });
  const unwanted = callerTrace('00');
  const wanted = callerTrace('01');
  await server.ask('GET', '/nowhere', { headers: unwanted.headers });
  for (const traceparent of ['00-xyz', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`])
    assert.equal((await server.ask('GET', '/health', { headers: { traceparent } })).status, 200);
  await server.ask('GET', '/health', { headers: wanted.headers });
  await collected(collector, wanted.traceId);
  assert.deepEqual([...new Set(collector.spans.map(({ traceId }) => traceId))], [wanted.traceId]);
  const line = server.lines.find(({ msg, trace_id }) => msg === 'request' && trace_id === unwanted.traceId);
  assert.equal(line?.['status'], 404);
  const { headers } = await server.ask('GET', '/health');
  const untold = server.lines.find(({ msg, request_id }) => msg === 'request' && request_id === headers['x-request-id']);
  assert.equal(untold?.['trace_id'], String(headers['x-request-id']).replaceAll('-', ''));
  await server.end();
  await collector.end();
});

if (!skipWithout('softhsm2'))
  test('an Encrypt with a key of SoftHSM arrives whole: front, key server, instance and slot', async () => {
    const collector = await startCollector();
    const server = await startHsmServer({ tables: () => config(collector) });
    const key = `${server.prefix}traced`;
    await done(makeSecret(server.admin, key));
    // Over PostgreSQL only under a lease.
    await until(async () => /^gatehouse_cache_trusted 1$/m.test((await server.ask('GET', '/metrics')).text), 'the node may cache', 15_000);
    await done(kmip(server.admin, 'Encrypt', identifier(key), bytes('Data', randomBytes(24))));
    const asked = callerTrace();
    const data = randomBytes(24);
    const as: typeof server.admin = (method, path, options) => server.admin(method, path, { ...options, headers: { ...options?.headers, ...asked.headers } });
    await done(kmip(as, 'Encrypt', identifier(key), bytes('Data', data)));
    const trace = await collected(collector, asked.traceId, /^HSM encrypt$/);
    trace.assertNested();
    assert.equal(trace.root.name, 'POST /kmip/2_1');
    assert.deepEqual(trace.root.attributes['gatehouse.kmip.outcomes'], ['Encrypt:Success']);
    const [call, ...line] = [...trace.lineOf(trace.find(/^HSM encrypt$/))].reverse();
    // Beside the front the key server asks the instance itself.
    assert.deepEqual(
      line.map(({ name }) => name),
      ['hsm.use', 'kmip.serve', 'POST /kmip/2_1'],
      String(trace),
    );
    const { 'gatehouse.hsm.slot': slot, 'gatehouse.hsm.instance': instance, 'gatehouse.hsm.return_value': value } = call?.attributes ?? {};
    assert.deepEqual([slot, instance, value], [server.slot, 'hsm::soft_hsm', 'CKR_OK']);
    await server.end();
    const all = collector.bodies.join('\n');
    for (const secret of [PIN, data.toString('hex'), data.toString('base64'), HEADER]) assert.ok(!all.toLowerCase().includes(secret.toLowerCase()), secret);
    await collector.end();
  });

test.run();
