// Addresses of clients behind trusted proxies: in every form that proxies write, one client is one source.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { addressList } from '../../../kernel/address-list.ts';
import { sourceOf } from '../../../kernel/http/connection/source.ts';
import { people } from '../../people.ts';
import { until } from '../../runtime.ts';
import { FRONTS, signInAdmin, startServer } from '../../server.ts';

test('the port of a client or of a proxy in X-Forwarded-For is no part of the address', async () => {
  const server = await startServer({
    config: '[http]\ntrusted_proxies = ["127.0.0.1", "198.51.100.0/24"]\n[metrics]\nallow = ["203.0.113.9", "2001:db8::1"]\n',
  });
  const metrics = async (from: string) => (await server.ask('GET', '/metrics', { headers: { 'x-forwarded-for': from } })).status;
  for (const from of ['203.0.113.9', '203.0.113.9:50000', '2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:50000', '203.0.113.9:1, 198.51.100.7:2'])
    assert.equal(await metrics(from), 200, from);
  for (const from of ['203.0.113.8:50000', '203.0.113.9, 192.0.2.1:50000', '203.0.113.9:x', '[203.0.113.9', '[2001:db8::2]:50000', ':50000'])
    assert.equal(await metrics(from), 403, from);
  await server.end();
});

test('sign-in attempts of one client are counted together, whatever ports a proxy writes', async () => {
  const env = { GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '1', GATEHOUSE_AUTH_LOGIN_RATE_BURST: '2' };
  const server = await startServer({ env, config: '[http]\ntrusted_proxies = ["127.0.0.1"]\n' });
  const body = { role_id: 'none', secret_id: 'none' };
  const attempt = (port: number) => server.ask('POST', '/auth/approle/login', { headers: { 'x-forwarded-for': `192.0.2.1:${port}` }, body });
  const attempts = await Promise.all(Array.from({ length: 20 }, (_, at) => attempt(50_000 + at)));
  assert.ok(attempts.some(({ status }) => status === 429));
  await server.end();
});

test('what is no address is one source, whatever the text, and has no right of an address', async () => {
  const server = await startServer({ config: '[http]\ntrusted_proxies = ["127.0.0.1"]\n[metrics]\nallow = ["0.0.0.0/0", "::/0"]\n' });
  const they = people(server, await signInAdmin(server));
  await they.realm('r');
  await they.user('r', 'ann', 'ann password');
  const signIn = (from: string, password: string) =>
    server.ask('POST', '/login?realm=r', {
      headers: { 'x-forwarded-for': from, authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}` },
    });
  for (const from of ['*', '*', '*', 'x'.repeat(8_000), '192.0.2.1, "192.0.2.2"', '192.0.2.300'])
    assert.equal((await signIn(from, 'wrong password')).status, 401, from.slice(0, 20));
  const { body } = await server.ask('GET', '/audit?event=login&realm=r', { cookie: they.root });
  assert.deepEqual(new Set(body.events.map((event: { source: string }) => event.source)), new Set(['unknown']));
  assert.deepEqual([(await signIn('192.0.2.1', 'ann password')).status, (await signIn('unknown', 'ann password')).status], [200, 401]);
  const metrics = async (from: string) => (await server.ask('GET', '/metrics', { headers: { 'x-forwarded-for': from } })).status;
  assert.deepEqual([await metrics('192.0.2.1'), await metrics('unknown')], [200, 403]);
  await server.end();
});

test('an IPv4 client is one source in every form that a proxy tells it in, and another is another', async () => {
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:ffff:c000:201', '0:0:0:0:0:ffff:192.0.2.1'])
    assert.equal(sourceOf(address), '192.0.2.1', address);
  for (const address of ['2001:db8::1', '2001:DB8:0:0:1::', '2001:db8::192.0.2.1', '2001:0db8:0000:0000::9'])
    assert.equal(sourceOf(address), '2001:db8:0:0::/64');
  for (const [address, source] of [
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3::', '1:2:3:0::/64'],
    ['::3:4:5:6:7:8', '0:0:3:4::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ] as const)
    assert.equal(sourceOf(address), source);
  const env = { GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '1', GATEHOUSE_AUTH_LOGIN_RATE_BURST: '1' };
  const server = await startServer({ env, config: '[http]\ntrusted_proxies = ["127.0.0.1"]\n' });
  const attempt = (from: string) => server.ask('POST', '/auth/approle/login', { headers: { 'x-forwarded-for': from }, body: { role_id: 'none' } });
  const others = await Promise.all(Array.from({ length: 9 }, (_, at) => attempt(`::ffff:c000:20${at}`)));
  assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([400]));
  await server.end();
});

test('every network may be trusted; a prefix that is too long is refused by name', async () => {
  const server = await startServer({ config: '[http]\ntrusted_proxies = ["0.0.0.0/0", "::/0"]\n[metrics]\nallow = ["203.0.113.9"]\n' });
  assert.equal((await server.ask('GET', '/metrics', { headers: { 'x-forwarded-for': '203.0.113.9, 192.0.2.1' } })).status, 200);
  await server.end();
  for (const entry of ['192.0.2.1/33', '2001:db8::/129', '192.0.2.1/x', '192.0.2.1/', 'proxy'])
    assert.throws(() => addressList([entry]), new Error(`${entry}: must be an IP address or a network such as 10.0.0.0/8`));
});

test('what a proxy on this machine passes on is not local, and a proxy that is not named is told of once', async () => {
  const server = await startServer();
  const metrics = async (headers: Record<string, string>) => (await server.ask('GET', '/metrics', { headers })).status;
  assert.equal(await metrics({}), 200);
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=203.0.113.9' },
    { via: '1.1 proxy' },
    { 'x-forwarded-proto': 'https' },
  ])
    assert.equal(await metrics(headers), 403, JSON.stringify(headers));
  const told = () => server.lines.filter(({ level, proxy }) => level === 'warn' && proxy !== undefined).map(({ proxy }) => proxy);
  await until(() => told().length > 0, 'the log tells of the proxy');
  assert.deepEqual([told()[0], told().length <= Number(FRONTS)], ['127.0.0.1', true], 'once in each thread');
  await server.end();
  const named = await startServer({ config: '[http]\ntrusted_proxies = ["127.0.0.1"]\n[metrics]\nallow = ["127.0.0.1"]\n' });
  const from = async (address: string) => (await named.ask('GET', '/metrics', { headers: { 'x-forwarded-for': address } })).status;
  assert.deepEqual([await from('203.0.113.9'), await from('127.0.0.1')], [403, 200]);
  const warned = () => named.lines.flatMap(({ proxy, msg }) => (proxy === undefined ? [] : [String(msg)]));
  assert.deepEqual(warned(), []);
  assert.equal((await named.ask('GET', '/metrics', { headers: { 'x-forwarded-proto': 'https' } })).status, 200, 'which [metrics] allow names');
  await until(() => warned().length > 0, 'the log tells that the proxy says of no client');
  assert.match(warned()[0] ?? '', /sends no X-Forwarded-For/);
  await named.end();
});

test.run();
