// What the connections of a listener hold together is bounded: the one that goes beyond is closed, and what ends is given back.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { frontLimits } from '../../../kernel/limits/front-limits.ts';
import { listen } from '../../../kernel/listener/listen.ts';
import type { Listener } from '../../../kernel/listener/listener.ts';
import { newSharedMemory } from '../../../kernel/shared/memory.ts';
import { CLIENT_AUTH, makeCertificate, SERVER_AUTH } from '../../certificates.ts';
import { memoryLog } from '../../runtime.ts';

const authority = await makeCertificate('CN=ca');
const own = await makeCertificate('CN=server', { issuer: authority, usage: SERVER_AUTH, names: ['127.0.0.1'] });
const ann = await makeCertificate('CN=ann', { issuer: authority, usage: CLIENT_AUTH });
const MESSAGE = 100_000;

/** Every message has 100 000 bytes; it is answered by one. */
const listener: Listener = {
  ...{ name: 'sized', setting: 'sized', host: '127.0.0.1', port: 0, headerBytes: 1, maxMessageBytes: MESSAGE },
  lengthOf: () => MESSAGE,
  answer: async () => Uint8Array.of(1),
  refuse: () => Uint8Array.of(2),
};

test('the connection that goes beyond the limit is closed; memory comes back with answers and with ends', async () => {
  const clock = createClock();
  const limits = frontLimits({ caller_memory: 250_000, total_memory: 250_000, write_timeout: 30 } as never, [listener], clock, newSharedMemory(1));
  const tls = { cert: own.cert, key: own.key, ca: authority.cert, requestCert: true };
  const open = await listen(listener, { tls, clock, log: memoryLog().log, limits, arrivalMs: 60_000, proxies: undefined, reusePort: false });
  const sockets: TLSSocket[] = [];
  const dial = async () => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(open.address).port), ca: authority.cert, cert: ann.cert, key: ann.key });
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'secureConnect');
    return socket;
  };
  /** Whether a whole message is answered. */
  const ask = (socket: TLSSocket, bytes = MESSAGE) =>
    new Promise<boolean>((resolve) => {
      const end = () => resolve(false);
      socket.once('close', end);
      socket.once('data', () => {
        socket.off('close', end);
        resolve(true);
      });
      socket.write(new Uint8Array(bytes));
    });
  try {
    // Far more than the limit, one after the other.
    const first = await dial();
    for (let n = 0; n < 10; n += 1) assert.equal(await ask(first), true);
    // Three that keep almost a message each: together more than the limit, so one of them has to go.
    const keepers = [await dial(), await dial(), await dial()];
    const closed = new Promise<TLSSocket>((resolve) => {
      for (const socket of keepers) socket.once('close', () => resolve(socket));
    });
    for (const socket of keepers) socket.write(new Uint8Array(MESSAGE - 1));
    const victim = await closed;
    const left = keepers.filter((socket) => socket !== victim);
    assert.equal(left.filter(({ destroyed }) => destroyed).length, 0);
    // The others finish theirs, and their memory is there again.
    for (const socket of left) assert.equal(await ask(socket, 1), true);
    for (let n = 0; n < 5; n += 1) assert.equal(await ask(first), true);
    assert.equal(await ask(await dial()), true);
  } finally {
    for (const socket of sockets) socket.destroy();
    await open.close(1_000);
    limits.stalled.close();
  }
});

test.run();
