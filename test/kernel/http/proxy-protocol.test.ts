// A server behind a proxy that passes TLS through: it sees the client's address, on both fronts, and believes only the proxies that it knows.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import Type from 'typebox';
import { test } from 'uvu';
import { readProxyHeader } from '../../../kernel/http/connection/proxy-header.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import type { Made } from '../../certificates.ts';
import { until } from '../../runtime.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const v2 = (rest: string) => Buffer.from(SIGNATURE + rest, 'hex');
const IPV4 = v2('2111000c' + 'cb007109' + '0a000001' + '1f90' + '20fb');
const V6 = '20010db8000000000000000000000009';
/** With another field behind the addresses, as proxies add them. */
const IPV6 = v2(`21210029${V6}${V6}1f9020fb04000200ff`);
const LOCAL = v2('20000000');
const HEADERS: readonly (readonly [string, string | Buffer, string])[] = [
  ['the first version, IPv4', 'PROXY TCP4 203.0.113.9 10.0.0.1 8080 8443\r\n', '203.0.113.9'],
  ['the first version, IPv6', 'PROXY TCP6 2001:db8::9 2001:db8::1 8080 8443\r\n', '2001:db8::9'],
  ['the first version, unknown', 'PROXY UNKNOWN\r\n', '127.0.0.1'],
  ['the second version, IPv4', IPV4, '203.0.113.9'],
  ['the second version, IPv6', IPV6, '2001:db8:0:0:0:0:0:9'],
  ['the second version, of the proxy itself', LOCAL, '127.0.0.1'],
];

const plugin = definePlugin({
  name: 'sources',
  config: Type.Object({}, { default: {} }),
  routes: () => [{ method: 'GET', path: '/source', auth: 'none', handle: ({ address }) => ({ status: 200, body: { address } }) }],
  listeners: () => [
    {
      name: 'sources',
      setting: 'sources',
      host: '127.0.0.1',
      port: 0,
      headerBytes: 1,
      maxMessageBytes: 1,
      lengthOf: () => 1,
      refuse: (message) => message,
      answer: async ({ address }) => Buffer.from(`${address}\n`),
    },
  ],
});

let server: SecureServer;
let ann: Made;
test.before(async () => {
  server = await startSecureServer({ plugins: [plugin] as never, config: '[http]\nproxy_protocol = ["127.0.0.1"]\n' });
  ann = await server.client('ann');
});
test.after(() => server?.end());

const https = () => Number(new URL(server.address).port);
const listener = () => Number(/^sources listener on .*:(\d+)$/m.exec(server.announcements.join('\n'))?.[1]);

async function tcp(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connectTcp({ host: '127.0.0.1', port, localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** What the server says the client's address is, asked over TLS on this connection. */
async function told(socket: Socket, request: string, ca = server.authority.cert): Promise<string> {
  const tls = connectTls({ socket, ca, cert: ann.cert, key: ann.key, checkServerIdentity: () => undefined });
  tls.on('error', () => {});
  tls.write(request);
  let text = '';
  tls.on('data', (chunk) => (text += chunk));
  await until(() => tls.destroyed || /"address":"[^"]+"|^\S+\n$/.test(text), 'the server has answered');
  tls.destroy();
  return /"address":"([^"]+)"/.exec(text)?.[1] ?? text.trim();
}

const REQUEST = 'GET /source HTTP/1.1\r\nhost: x\r\n\r\n';

for (const [title, header, expected] of HEADERS)
  test(`${title}: the client is ${expected}`, async () => {
    for (const [port, request] of [
      [https(), REQUEST],
      [listener(), '?'],
    ] as const) {
      const socket = await tcp(port);
      socket.write(header);
      assert.equal(await told(socket, request), expected);
    }
  });

test('a header may arrive byte by byte, and with the first bytes of TLS behind it', async () => {
  const slow = await tcp(https());
  slow.setNoDelay(true);
  for (const byte of IPV4) {
    slow.write(Uint8Array.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await told(slow, REQUEST), '203.0.113.9');
  const whole = await tcp(https());
  whole.cork();
  whole.write(IPV4);
  const answer = told(whole, REQUEST);
  setImmediate(() => whole.uncork());
  assert.equal(await answer, '203.0.113.9');
});

test('a known proxy without a header is cut off before TLS; a header of anybody else is no header', async () => {
  const direct = await tcp(https());
  assert.equal(await told(direct, REQUEST), '');
  const other = await tcp(https(), '127.0.0.2');
  assert.equal(await told(other, REQUEST), '127.0.0.2');
  const liar = await tcp(https(), '127.0.0.2');
  liar.write(IPV4);
  assert.equal(await told(liar, REQUEST), '');
});

test('a proxy that uses one port of its own towards two addresses of the server names a client on each', async () => {
  const wide = await startSecureServer({ plugins: [plugin] as never, config: '[http]\nhost = "0.0.0.0"\nproxy_protocol = ["127.0.0.1"]\n' });
  const port = Number(new URL(wide.address).port);
  const first = await tcp(port);
  const second = connectTcp({ host: '127.0.0.2', port, localAddress: '127.0.0.1', localPort: first.localPort as number });
  await once(second, 'connect');
  first.write('PROXY TCP4 203.0.113.1 10.0.0.1 8080 8443\r\n');
  second.write('PROXY TCP4 203.0.113.2 10.0.0.1 8080 8443\r\n');
  const answers = [first, second].map((socket) => told(socket, REQUEST, wide.authority.cert));
  assert.deepEqual(await Promise.all(answers), ['203.0.113.1', '203.0.113.2']);
  await wide.end();
});

test('a client that comes by two proxies from one port of its own has two connections', async () => {
  const header = 'PROXY TCP4 203.0.113.9 10.0.0.1 8080 8443\r\n';
  const [first, second] = [await tcp(https()), await tcp(https())];
  const heard = [first, second].map(async (socket) => ({ socket, text: String((await once(socket, 'data'))[0]) }));
  for (const socket of [first, second]) socket.write(header);
  first.write('GET / HTTP/1.1\r\n\r\n');
  const { socket, text } = await Promise.race(heard);
  assert.match(text, /this port accepts TLS only/);
  assert.equal(socket, first);
  assert.equal(await told(second, REQUEST), '203.0.113.9');
});

test('what is no header, is too long, or lacks its addresses is invalid; a part of one waits for the rest', () => {
  const read = (bytes: string | Buffer) => readProxyHeader(Buffer.from(bytes as string));
  for (const [, header] of HEADERS) {
    const bytes = Buffer.from(header as string);
    for (let length = 0; length < bytes.length; length++) assert.equal(readProxyHeader(bytes.subarray(0, length)), 'more', `${length}`);
    const found = readProxyHeader(Buffer.concat([bytes, Buffer.from('rest')]));
    assert.equal(typeof found === 'string' ? found : found.length, bytes.length);
  }
  for (const bad of [
    'GET / HTTP/1.1\r\n',
    'PROXY TCP4 203.0.113.9 10.0.0.1 8080\r\n',
    'PROXY TCP4 203.0.113.9 10.0.0.1 8080 8443 1\r\n',
    'PROXY TCP4 2001:db8::9 2001:db8::1 8080 8443\r\n',
    'PROXY TCP4 203.0.113.999 10.0.0.1 8080 8443\r\n',
    'PROXY TCP4 203.0.113.9 10.0.0.1 65536 8443\r\n',
    'PROXY TCP4 203.0.113.9 10.0.0.1 08080 8443\r\n',
    `PROXY TCP4 ${'1'.repeat(107)}`,
    v2('1111000c'),
    v2('2211000c'),
    v2('2111ffff'),
    v2('21110008cb0071090a000001'),
  ])
    assert.equal(read(bad), 'invalid', String(bad));
});

test.run();
