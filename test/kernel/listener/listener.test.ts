// A listener over real TLS: who may, order, limits, slow and vanishing clients, certificates that end, and a graceful stop.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import Type from 'typebox';
import { test } from 'uvu';
import { REQUESTS_MS } from '../../../kernel/fronts/ports.ts';
import type { Listener, Message } from '../../../kernel/listener/listener.ts';
import { definePlugin } from '../../../kernel/plugin.ts';
import { CLIENT_AUTH, DAY_MS, type Made, makeCertificate, revocationList, SERVER_AUTH } from '../../certificates.ts';
import { until } from '../../runtime.ts';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { startServer } from '../../server.ts';

const MOST = 300_000;
const seen: { messages: Message[]; holds: Map<string, () => void> } = { messages: [], holds: new Map() };

/** Messages are four bytes of length and a text. `hold:x` is answered when the test says so, `bug` throws, all else is echoed with the name of who asks. */
function echo(port: number): Listener {
  return {
    name: 'echo',
    setting: 'echoes',
    host: '127.0.0.1',
    port,
    headerBytes: 4,
    maxMessageBytes: MOST,
    lengthOf: (header) => (header[0] === 0xff ? undefined : Buffer.from(header).readUInt32BE() + 4),
    refuse: (_message, why) => framed(`refused: ${why}`),
    async answer(message) {
      seen.messages.push(message);
      const text = Buffer.from(message.bytes.subarray(4)).toString();
      if (text === 'bug') throw new Error('a bug');
      if (text.startsWith('hold')) await new Promise<void>((resolve) => seen.holds.set(text, resolve));
      return framed(message.bytes.byteLength === 4 ? 'refused' : text.startsWith('big') ? text.repeat(50) : `${message.certificate.commonName}: ${text}`);
    },
  };
}

function framed(text: string): Uint8Array {
  const bytes = Buffer.alloc(4 + Buffer.byteLength(text));
  bytes.writeUInt32BE(bytes.length - 4);
  bytes.write(text, 4);
  return bytes;
}

const plugin = (port = 0) => definePlugin({ name: 'echoes', config: Type.Object({}, { default: {} }), listeners: () => [echo(port)] });

let server: SecureServer;
let port: number;
let ann: Made;
test.before(async () => {
  const revoked = (authority: Made, file: SecureServer['file']) =>
    makeCertificate('CN=revoked', { issuer: authority, usage: CLIENT_AUTH }).then(async (made) => {
      gone = made;
      return `client_crl = "${file('crl.pem', await revocationList(authority, [made]))}"`;
    });
  server = await startSecureServer({ plugins: [plugin()] as never, config: '[http]\nrequest_timeout = 5\n[log]\nlevel = "debug"\n' }, revoked);
  port = Number(new URL(server.announcements.find((text) => text.startsWith('echo listener on '))?.slice('echo listener on '.length) as string).port);
  ann = await server.client('ann');
  unshaken = [Buffer.alloc(0), Buffer.from('1603010200', 'hex')].map(async (beginning) => {
    const socket = connect(port, '127.0.0.1');
    const began = performance.now();
    socket.write(beginning);
    await once(socket.resume(), 'close');
    return performance.now() - began;
  });
});
test.after(() => server?.end());
/** How long connections last whose client sends nothing, or the beginning of a handshake: measured beside the other tests. */
let unshaken: Promise<number>[];
let gone: Made;

/** A connection whose answers are read one by one. */
async function talk(made: Made, options = {}): Promise<{ socket: TLSSocket; next(): Promise<string>; ended: Promise<void> }> {
  const socket = server.dial(port, made, options);
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await once(socket, 'secureConnect');
  let bytes = Buffer.alloc(0);
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  });
  socket.on('close', () => wake());
  const next = async () => {
    while (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32BE()) {
      if (socket.destroyed) throw new Error('closed');
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const end = 4 + bytes.readUInt32BE();
    const text = bytes.subarray(4, end).toString();
    bytes = bytes.subarray(end);
    return text;
  };
  return { socket, next, ended };
}

/** Whether a connection with this certificate comes to an answer. */
async function isServed(made?: Made): Promise<boolean> {
  const socket = server.dial(port, made);
  const answer = new Promise<boolean>((resolve) => {
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.on('data', () => resolve(true));
  });
  socket.write(framed('hello'));
  const served = await answer;
  socket.destroy();
  return served;
}

test('missing, foreign, expired, revoked, wrong-use and nameless certificates: refused, the log says why', async () => {
  assert.equal(await isServed(ann), true);
  const foreign = await makeCertificate('CN=other ca');
  const before = seen.messages.length;
  const noName = 'it must have exactly one common name, which a user can have';
  for (const [made, why] of [
    [undefined, undefined],
    [gone, 'CERT_REVOKED'],
    [await makeCertificate('CN=mallory', { issuer: foreign, usage: CLIENT_AUTH }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    [await server.client('late', { days: -1 }), 'CERT_HAS_EXPIRED'],
    [await server.client('server', { usage: SERVER_AUTH }), 'INVALID_PURPOSE'],
    [await server.client('one, CN=two'), noName],
    [await server.client('realm/user'), noName],
  ] as const) {
    const from = server.lines.length;
    assert.equal(await isServed(made), false, made?.certificate.subject);
    const isTold = () => server.lines.slice(from).some(({ reason }) => reason === `the client certificate is not accepted: ${why}`);
    if (why !== undefined) await until(isTold, `the log says ${why}`);
  }
  assert.equal(seen.messages.length, before);
});

test('messages in one segment, and in many, are answered in order with the name of the certificate', async () => {
  const { socket, next } = await talk(ann);
  const texts = Array.from({ length: 100 }, (_, index) => `message ${index}`);
  socket.write(Buffer.concat(texts.map(framed)));
  for (const text of texts) assert.equal(await next(), `ann: ${text}`);
  for (const byte of framed('slowly')) await new Promise<void>((resolve) => socket.write(Uint8Array.of(byte), () => resolve()));
  assert.equal(await next(), 'ann: slowly');
  for (const { bytes } of seen.messages) assert.equal(bytes.byteLength, bytes.buffer.byteLength);
  socket.destroy();
});

test('a connection has one message at work at a time; the listener stops reading from a flooding client', async () => {
  const { socket, next } = await talk(ann);
  socket.write(framed('hold:order'));
  socket.write(framed('after'));
  await until(() => seen.holds.has('hold:order'), 'the first has arrived');
  const count = seen.messages.length;
  const flood = framed('x'.repeat(100_000));
  let sent = 0;
  for (; sent < 400 && (socket.write(flood) || socket.writableLength < 8_000_000); sent += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(socket.writableLength > 1_000_000, 'the client had to keep what it sends');
  assert.equal(seen.messages.length, count);
  seen.holds.get('hold:order')?.();
  assert.equal(await next(), 'ann: hold:order');
  assert.equal(await next(), 'ann: after');
  for (let n = 0; n < sent; n += 1) assert.equal((await next()).length, 100_005);
  socket.destroy();
});

test('an invalid or too long message is answered by its header alone, and the connection ends', async () => {
  const tooLong = Buffer.alloc(4);
  tooLong.writeUInt32BE(MOST);
  for (const header of [tooLong, Buffer.from('ff000000', 'hex')]) {
    const { socket, next, ended } = await talk(ann);
    socket.write(Buffer.concat([framed('good'), header, Buffer.alloc(50_000), framed('never')]));
    assert.deepEqual([await next(), await next()], ['ann: good', 'refused']);
    await ended;
  }
  assert.equal(await isServed(ann), true);
});

test('a handler that fails ends its connection, and no other', async () => {
  const other = await talk(ann);
  const { socket, ended } = await talk(ann);
  socket.write(framed('bug'));
  await ended;
  assert.ok(server.lines.some(({ msg, listener }) => msg === 'a message could not be answered' && listener === 'echo'));
  other.socket.write(framed('still here'));
  assert.equal(await other.next(), 'ann: still here');
  other.socket.destroy();
});

test('a client that shuts its writing side gets its answers, and then the connection ends', async () => {
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
    const { socket, next, ended } = await talk(ann, { maxVersion, allowHalfOpen: true });
    const hold = `hold:${maxVersion}`;
    socket.end(Buffer.concat([framed(hold), framed('second'), framed(`big${'x'.repeat(5_000)}`), framed('cut off').subarray(0, 7)]));
    await until(() => seen.holds.has(hold), 'the first has arrived');
    const { signal } = seen.messages.at(-1) as Message;
    // The answer of another connection shows that the end of this one's input has had its time.
    assert.equal(await isServed(ann), true);
    assert.equal(signal.aborted, false);
    seen.holds.get(hold)?.();
    assert.equal(await next(), `ann: ${hold}`);
    assert.equal(await next(), 'ann: second');
    assert.equal((await next()).length, 50 * 5_003);
    await ended;
  }
});

test('a client that sends nothing and shuts its writing side is not waited for', async () => {
  const { socket, ended } = await talk(ann, { allowHalfOpen: true });
  socket.end();
  await ended;
});

test('a client whose connection is reset aborts its message', async () => {
  const below = connect({ host: '127.0.0.1', port });
  const { socket } = await talk(ann, { socket: below });
  socket.write(framed('hold:gone'));
  await until(() => seen.holds.has('hold:gone'), 'the message has arrived');
  const { signal } = seen.messages.at(-1) as Message;
  assert.equal(signal.aborted, false);
  below.resetAndDestroy();
  await until(() => signal.aborted, 'the signal is aborted');
  seen.holds.get('hold:gone')?.();
});

test('a new revocation list ends every connection checked against the old one; revoked clients stay out', async () => {
  const [dan, stays] = [await server.client('dan'), await talk(ann)];
  const { socket, next, ended } = await talk(dan);
  socket.write(framed('hello'));
  assert.equal(await next(), 'dan: hello');
  server.file('crl.pem', await revocationList(server.authority, [gone, dan]));
  await ended;
  assert.equal(await isServed(dan), false);
  assert.equal(await isServed(ann), true);
  // What was checked against the old list is checked again, by a new handshake.
  await stays.ended;
});

test('a handshake that began before a new revocation list and ends after it makes no client', async () => {
  const eve = await server.client('eve');
  const https = Number(new URL(server.address).port);
  const held = await Promise.all(
    [port, https].map(async (to) => {
      const socket = connect(to, '127.0.0.1');
      await once(socket, 'connect');
      return { to, socket };
    }),
  );
  const stays = await talk(ann);
  server.file('crl.pem', await revocationList(server.authority, [gone, eve]));
  await stays.ended;
  for (const { to, socket } of held) {
    const late = server.dial(to, eve, { socket });
    late.on('error', () => {});
    let heard = '';
    late.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    late.write(to === https ? 'GET /me HTTP/1.1\r\nHost: localhost\r\n\r\n' : framed('hello'));
    await once(late, 'close');
    assert.equal(heard, '', String(to === https ? 'https' : 'listener'));
  }
  assert.equal(await isServed(ann), true);
});

test('a certificate that expires ends its connection at the next message', async () => {
  const soon = await server.client('soon', { days: 1 });
  const { socket, next, ended } = await talk(soon);
  socket.write(framed('one'));
  assert.equal(await next(), 'soon: one');
  const count = seen.messages.length;
  // The connection is too old as well then; what counts is that no message of it is served.
  await server.runtime.advance(2 * DAY_MS);
  socket.write(framed('two'));
  await ended;
  assert.equal(seen.messages.length, count);
});

test('a resumed session of a certificate that has expired meanwhile is no client', async () => {
  const soon = await server.client('resumed', { days: 3 });
  const first = await talk(soon, { maxVersion: 'TLSv1.3' });
  const session = new Promise<Buffer>((resolve) => first.socket.on('session', resolve));
  first.socket.write(framed('one'));
  assert.equal(await first.next(), 'resumed: one');
  const ticket = await session;
  await server.runtime.advance(2 * DAY_MS);
  const again = server.dial(port, soon, { session: ticket });
  again.on('error', () => {});
  again.write(framed('two'));
  const count = seen.messages.length;
  await once(again, 'close');
  assert.equal(seen.messages.length, count);
});

test('slow messages and silent connections are closed; a connection that waits for its answer is not', async () => {
  const slow = await talk(ann);
  const silent = await talk(ann);
  const busy = await talk(ann);
  slow.socket.write(framed('half of it').subarray(0, 6));
  busy.socket.write(framed('hold:busy'));
  await until(() => seen.holds.has('hold:busy'), 'the message has arrived');
  const states = () => [slow, silent, busy].map(({ socket }) => (socket.destroyed ? 'closed' : 'open'));
  // The half message has to have been seen before time goes on.
  const marker = await talk(ann);
  marker.socket.write(framed('marker'));
  await marker.next();
  await server.runtime.advance(12_000);
  await slow.ended;
  assert.deepEqual(states(), ['closed', 'open', 'open']);
  await server.runtime.advance(130_000);
  await silent.ended;
  assert.deepEqual(states(), ['closed', 'closed', 'open']);
  seen.holds.get('hold:busy')?.();
  assert.equal(await busy.next(), 'ann: hold:busy');
  busy.socket.destroy();
});

test('the connection of a client that does not read its answers is closed', async () => {
  const { socket, ended } = await talk(ann);
  socket.pause();
  for (let n = 0; n < 20; n += 1) socket.write(framed(`big${'x'.repeat(200_000)}`));
  const count = seen.messages.length;
  await until(() => seen.messages.length > count, 'the first was answered');
  for (let last = -1; last !== seen.messages.length; await new Promise((resolve) => setTimeout(resolve, 50))) last = seen.messages.length;
  await server.runtime.advance(130_000);
  socket.resume();
  await ended;
});

test('a stop waits for the running message and accepts no others', async () => {
  const own = await startSecureServer({ plugins: [plugin()] as never });
  const made = await own.client('bea');
  const ownPort = Number(new URL(own.announcements[0]?.slice('echo listener on '.length) as string).port);
  const [busy, idle] = [own.dial(ownPort, made), own.dial(ownPort, made)];
  const answers: Buffer[] = [];
  for (const socket of [busy, idle]) socket.on('data', (chunk: Buffer) => answers.push(chunk)).on('error', () => {});
  idle.write(framed('hello'));
  await until(() => answers.length === 1, 'the idle one was served');
  busy.write(Buffer.concat([framed('hold:stop'), framed('never')]));
  await until(() => seen.holds.has('hold:stop'), 'the message has arrived');
  const stopped = own.stop();
  await once(idle, 'close');
  const isClosed = () =>
    own.ask('GET', '/health').then(
      () => false,
      () => true,
    );
  await until(isClosed, 'HTTPS takes nothing meanwhile', REQUESTS_MS - 1_000);
  assert.equal(busy.destroyed, false);
  seen.holds.get('hold:stop')?.();
  await stopped;
  assert.equal(answers.at(-1)?.subarray(4).toString(), 'bea: hold:stop');
  await own.end();
  assert.ok(!seen.messages.some(({ bytes }) => Buffer.from(bytes).includes('never') && Buffer.from(bytes).length === 9));
});

test('while a server drains a connection ends after its next answer; what arrives at the stop is answered', async () => {
  const own = await startSecureServer({ plugins: [plugin()] as never, config: '[http]\ndrain_seconds = 30\n' });
  const made = await own.client('cid');
  const ownPort = Number(new URL(own.announcements[0]?.slice('echo listener on '.length) as string).port);
  const open = async () => {
    const socket = own.dial(ownPort, made).on('error', () => {});
    const answers: string[] = [];
    socket.on('data', (chunk: Buffer) => answers.push(chunk.subarray(4).toString()));
    const closed = once(socket, 'close');
    await once(socket, 'secureConnect');
    return { socket, answers, closed };
  };
  const [kept, slow] = [await open(), await open()];
  for (const { socket, answers } of [kept, slow]) {
    socket.write(framed('one'));
    await until(() => answers.length === 1, 'it was served');
  }
  const stopped = own.stop();
  await until(async () => (await own.ask('GET', '/ready')).status === 503, '/ready says that it stops');
  const late = await open();
  for (const { socket, answers, closed } of [kept, late]) {
    socket.write(framed('two'));
    await closed;
    assert.equal(answers.at(-1), 'cid: two');
  }
  const message = framed('three');
  const move = (seconds: number) => {
    Atomics.add(own.clock.offset, 0, BigInt(seconds * 1_000));
    return own.clock.fireDue();
  };
  // What is slower than the time for a message would be closed.
  await move(29);
  slow.socket.write(message.subarray(0, 6));
  await until(() => own.ask('GET', '/health').then(() => true), 'the beginning has arrived');
  await move(1);
  await assert.rejects(until(() => own.ask('GET', '/health').then(() => false), 'it has stopped to serve', 5_000));
  slow.socket.write(message.subarray(6));
  await slow.closed;
  assert.equal(slow.answers.at(-1), 'cid: three');
  await stopped;
  await own.end();
});

test('a port in use, or a server without client certificates, stops the start with a clear message', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port: used } = taken.address() as { port: number };
  await assert.rejects(startSecureServer({ plugins: [plugin(used)] as never }), (error: Error) =>
    error.message.includes(`echoes: cannot listen on 127.0.0.1 port ${used} (EADDRINUSE)`),
  );
  taken.close();
  await assert.rejects(startServer({ plugins: [plugin()] as never }), (error: Error) =>
    error.message.includes('echoes: requires client certificates; set http.tls.client_ca'),
  );
});

test('a client that does not finish its handshake is closed', async () => {
  const late = new Promise<number>((resolve) => setTimeout(resolve, 11_000, Number.NaN).unref());
  // The time limit is ten seconds, and there is no other reason to close them so late.
  for (const each of unshaken) assert.ok((await Promise.race([each, late])) >= 9_000);
});

test.run();
