// KMIP over TLS: framing by the TTLV header, the identity of the certificate, and what a client is told where the actor could not answer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { test } from 'uvu';
import { failureText } from '../../../kernel/fault.ts';
import { failureMessage } from '../../../plugins/keys/failure.ts';
import type { Made } from '../../certificates.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { startServer } from '../../server.ts';
import { ECHOING } from './setup.ts';

const LISTENING = '[keys.kmip_listener]\nenabled = true\nport = 0\n';
let server: SecureServer;
let port: number;
let ann: Made;
test.before(async () => {
  server = await startSecureServer({ plugins: ECHOING, config: LISTENING });
  port = server.kmipPort();
  ann = await server.client('ann@acme.com');
});
test.after(() => server?.end());

/** A request message with a value that only the echo looks at. */
function message(value: string): Buffer {
  const bytes = Buffer.alloc(8 + value.length);
  bytes.writeUInt32BE(0x42007801);
  bytes.writeUInt32BE(value.length, 4);
  bytes.write(value, 8, 'latin1');
  return bytes;
}

/** Reads until the text is there, or the connection ends. */
async function read(socket: TLSSocket, wanted: (bytes: Buffer) => boolean): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    if (wanted(bytes)) break;
  }
  return bytes;
}

async function dial(made: Made): Promise<TLSSocket> {
  const socket = server.dial(port, made);
  await once(socket, 'secureConnect');
  return socket;
}

test('the message reaches the actor whole, and its user is the common name', async () => {
  const socket = await dial(ann);
  socket.write(message('hello'));
  const expected = Buffer.concat([message('hello'), Buffer.from('<ann@acme.com>')]);
  assert.deepEqual(await read(socket, (bytes) => bytes.length >= expected.length), expected);
  socket.destroy();
});

test('many messages in one segment, and one in many, large ones too', async () => {
  const socket = await dial(ann);
  const sent = [...Array.from({ length: 200 }, (_, index) => message(`number ${index}`)), message('x'.repeat(3_000_000)), message('last')];
  const expected = Buffer.concat(sent.map((each) => Buffer.concat([each, Buffer.from('<ann@acme.com>')])));
  const all = Buffer.concat(sent);
  const got = read(socket, (bytes) => bytes.length >= expected.length);
  for (let at = 0; at < all.length; at += 77_777) socket.write(all.subarray(at, at + 77_777));
  assert.ok((await got).equals(expected));
  socket.destroy();
});

test('bytes that are not a request, or are too long: the actor answers the header, and the connection ends', async () => {
  const tooLong = Buffer.from('4200780104000000', 'hex');
  const headers = [tooLong, Buffer.from('GET / HT'), Buffer.from('42007b0100000008', 'hex'), Buffer.from('4200780200000008', 'hex')];
  for (const header of headers) {
    const socket = await dial(ann);
    socket.write(Buffer.concat([header, Buffer.from('the rest of it')]));
    assert.deepEqual(await read(socket, () => false), Buffer.concat([header, Buffer.from('<ann@acme.com>')]));
  }
});

test('if the actor cannot answer, the item fails in the version of the request; the connection stays open', async () => {
  const version = Buffer.from('42007701000000384200690100000020' + '42006a02000000040000000200000000' + '42006b02000000040000000100000000', 'hex');
  const socket = await dial(ann);
  const request = (value: string) => message(version.toString('latin1') + value);
  socket.write(request('FAULT'));
  const wanted = failureMessage(request(''), failureText('OVERLOADED'), 0).length;
  const answer = await read(socket, (bytes) => bytes.length >= wanted);
  assert.equal(answer.length, wanted);
  assert.ok(answer.includes('OVERLOADED'));
  assert.ok(answer.includes(version.subarray(16)));
  socket.write(request('BUG'));
  const bug = await read(socket, (bytes) => bytes.includes('internal error'));
  assert.ok(!bug.includes('a bug'));
  socket.write(message('still here'));
  assert.ok((await read(socket, (bytes) => bytes.includes('>'))).includes('still here<ann'));
  socket.destroy();
});

test('the failure message, byte by byte', () => {
  const at = 1_700_000_000_000;
  const expected = [
    '42007b01 00000090',
    ...['42007a01 00000048', '42006901 00000020', '42006a02 00000004 00000001 00000000', '42006b02 00000004 00000000 00000000'],
    ...['42009209 00000008 000000006553f100', '42000d02 00000004 00000001 00000000'],
    ...[
      '42000f01 00000038',
      '42007f05 00000004 00000001 00000000',
      '42007e05 00000004 00000100 00000000',
      '42007d07 0000000a 4f5645524c4f41444544 000000000000',
    ],
  ];
  assert.equal(Buffer.from(failureMessage(new Uint8Array(8), 'OVERLOADED', at)).toString('hex'), expected.join('').replaceAll(' ', ''));
});

test('the operations of the listener are counted with all others', async () => {
  const { text } = await server.as(ann)('GET', '/metrics');
  assert.match(text, /^gatehouse_kmip_operations_total\{operation="Create",outcome="Success"\} 2\d\d$/m);
});

test('without client certificates the listener does not start and says why; it is off by default', async () => {
  await assert.rejects(startServer({ plugins: ECHOING, config: LISTENING }), (error: Error) =>
    error.message.includes('keys.kmip_listener: requires client certificates; set http.tls.client_ca'),
  );
  const off = await startServer({ plugins: ECHOING });
  assert.ok(!off.announcements.some((text) => text.startsWith('KMIP')));
  await off.end();
});

test.run();
