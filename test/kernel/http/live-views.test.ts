// Live views: events after changes, the rights of each reading, limits by caller, and the end with the session, the reader and the server.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import Type from 'typebox';
import { test } from 'uvu';
import { Fault } from '../../../kernel/fault.ts';
import { LIVE_VIEWS } from '../../../kernel/http/answer/live-views.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { people } from '../../people.ts';
import { until } from '../../runtime.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';

const EVERY_MS = 3_000;
const shown = { figure: 1, isForbidden: false, readings: 0 };

/** A view whose content a test changes. */
const extra = definePlugin({
  name: 'extra',
  config: Type.Object({}, { default: {} }),
  routes: () => [
    {
      method: 'GET',
      path: '/extra/view',
      auth: ['cookie'],
      live: { everyMs: EVERY_MS },
      handle({ caller }) {
        shown.readings += 1;
        if (shown.isForbidden) throw new Fault('FORBIDDEN');
        return { status: 200, body: { figure: shown.figure, of: caller?.username } };
      },
    },
    { method: 'GET', path: '/extra/lines', auth: 'none', live: { everyMs: EVERY_MS }, handle: () => ({ status: 200, body: 'one\ntwo', type: 'text/plain' }) },
  ],
});

let server: TestServer;
let root: string;

test.before(async () => {
  server = await startServer({ plugins: [...BUILT_IN, extra] as never });
  root = await signInAdmin(server);
  await people(server, root).realm('team');
});
test.after(() => server?.end());
test.before.each(() => {
  Object.assign(shown, { figure: 1, isForbidden: false });
});

interface Watched {
  readonly answer: IncomingMessage;
  /** What has arrived. */
  text(): string;
  readonly ended: Promise<unknown>;
}

function watch(cookie: string, path = '/extra/view', at: Pick<TestServer, 'address'> = server): Promise<Watched> {
  const options = { rejectUnauthorized: false, agent: false, headers: { accept: 'text/event-stream', cookie: `_ea_=${cookie}` } } as const;
  return new Promise((resolve, reject) => {
    const sent = request(`${at.address}${path}`, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      answer.on('error', () => undefined);
      resolve({ answer, text: () => text, ended: new Promise((end) => answer.once('close', end)) });
    });
    sent.on('error', reject).end();
  });
}

/** Moves the time by one interval, and waits until all views have been read. */
async function next(readings = 1): Promise<void> {
  const before = shown.readings;
  await server.runtime.advance(EVERY_MS + 1);
  await until(() => shown.readings >= before + readings, 'the view is read again');
}

const first = (figure: number) => `retry: 3000\nevent: state\ndata: {"figure":${figure},"of":"admin"}\n\n`;

test('an event at once and after each change, a comment where nothing changes for long', async () => {
  const { answer, text } = await watch(root);
  assert.deepEqual([answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']], [200, 'text/event-stream; charset=utf-8', 'no-store']);
  await until(() => text() !== '', 'the first event');
  assert.equal(text(), first(1));
  await next();
  shown.figure = 2;
  await next();
  await until(() => text() !== first(1), 'the event of the change');
  assert.equal(text(), `${first(1)}event: state\ndata: {"figure":2,"of":"admin"}\n\n`);
  for (let passed = 0; passed < 5; passed++) await next();
  await until(() => text().endsWith(':\n\n'), 'a comment');
  answer.destroy();
});

test('every line of a text is a line of its event', async () => {
  const { answer, text } = await watch('', '/extra/lines');
  await until(() => text().endsWith('\n\n'), 'the first event');
  assert.equal(text(), 'retry: 3000\nevent: state\ndata: one\ndata: two\n\n');
  answer.destroy();
});

test('clients that do not ask for events get one answer, and refusals are the usual ones', async () => {
  for (const accept of ['*/*', 'application/json', 'text/event-stream;q=0.5, application/json'])
    assert.deepEqual((await server.ask('GET', '/extra/view', { cookie: root, headers: { accept } })).body, { figure: 1, of: 'admin' });
  const headers = { accept: 'text/event-stream' };
  assert.equal((await server.ask('HEAD', '/extra/view', { cookie: root, headers })).status, 200);
  assert.equal((await server.ask('GET', '/extra/view', { headers })).body.code, 'UNAUTHENTICATED');
  assert.equal((await server.ask('GET', '/extra/view', { cookie: root, headers: { ...headers, 'sec-fetch-site': 'cross-site' } })).status, 403);
  shown.isForbidden = true;
  assert.equal((await server.ask('GET', '/extra/view', { cookie: root, headers })).body.code, 'FORBIDDEN');
});

test('a view ends with the session, and with the right to see it', async () => {
  const some = people(server, root);
  await some.user('team', 'ada', 'ada password');
  const cookie = await some.session('team', 'ada', 'ada password');
  const watched = await watch(cookie);
  const { session_id: id } = (await server.ask('GET', '/rights', { cookie })).body;
  assert.equal((await server.ask('DELETE', '/sessions', { cookie: root, body: { session_ids: [id] } })).status, 204);
  await server.runtime.advance(EVERY_MS + 1);
  await watched.ended;
  assert.match(watched.text(), /event: end\ndata: \{"code":"UNAUTHENTICATED","message":"[^"]+"\}\n\n$/);
  const forbidden = await watch(root);
  shown.isForbidden = true;
  await next();
  await forbidden.ended;
  assert.match(forbidden.text(), /event: end\ndata: \{"code":"FORBIDDEN",/);
});

test('metrics and readiness are live for super administrators, and end when they are none any more', async () => {
  const lead = await people(server, root).realmAdmin('team', 'lead');
  for (const path of ['/operations/status', '/operations/metrics']) assert.equal((await watch(lead, path)).answer.statusCode, 403, path);
  const second = await people(server, root).realmAdmin('_', 'second');
  const status = await watch(second, '/operations/status');
  await until(() => /"not_ready":\[\]/.test(status.text()), 'the state');
  const metrics = await watch(second, '/operations/metrics');
  await until(() => /^data: gatehouse_http_request_duration_seconds_count/m.test(metrics.text()), 'the metrics');
  assert.equal((await server.ask('DELETE', '/admins/_-second', { cookie: root })).status, 204);
  await server.runtime.advance(EVERY_MS + 1);
  await Promise.all([status.ended, metrics.ended]);
  for (const { text } of [status, metrics]) assert.match(text(), /event: end\ndata: \{"code":"(FORBIDDEN|UNAUTHENTICATED)",/);
});

test('a caller has so many views and no more, gets room by leaving, and takes none from others', async () => {
  const own = await Promise.all(Array.from({ length: LIVE_VIEWS.each }, () => watch(root)));
  assert.deepEqual([...new Set(own.map(({ answer }) => answer.statusCode))], [200]);
  const refused = await watch(root);
  assert.deepEqual([refused.answer.statusCode, refused.answer.headers['retry-after']], [503, '1']);
  await people(server, root).user('team', 'bob', 'bob password');
  const bob = await watch(await people(server, root).session('team', 'bob', 'bob password'));
  assert.equal(bob.answer.statusCode, 200);
  own[0]?.answer.destroy();
  await until(async () => {
    const again = await watch(root);
    own.push(again);
    return again.answer.statusCode === 200;
  }, 'there is room again');
  for (const { answer } of [...own, bob]) answer.destroy();
});

test('a view is not read any more when its reader has left, and its time is not the time of a request', async () => {
  const { answer, text } = await watch(root);
  await until(() => text() !== '', 'the first event');
  await server.runtime.advance(20_000);
  await next();
  answer.destroy();
  const metric = async () => (await server.ask('GET', '/metrics')).text;
  await until(async () => /request_duration_seconds_count\{[^}]*route="\/extra\/view"/.test(await metric()), 'the request is over');
  await until(async () => {
    const before = shown.readings;
    await server.runtime.advance(EVERY_MS + 1);
    return shown.readings === before;
  }, 'it is not read any more');
  const sum = /request_duration_seconds_sum\{[^}]*route="\/extra\/view"[^}]*\} (\S+)/.exec(await metric())?.[1];
  assert.ok(Number(sum) < 20, `${sum} s`);
});

test('a server that stops ends its views at once and says so', async () => {
  const other = await startServer();
  const watched = await watch(await signInAdmin(other), '/operations/status', other);
  await until(() => watched.text() !== '', 'the first event');
  const began = performance.now();
  await other.end();
  await watched.ended;
  assert.match(watched.text(), /event: end\ndata: \{"code":"STOPPING",/);
  assert.ok(performance.now() - began < 5_000);
});

test.run();
