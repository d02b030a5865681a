// The wire to the database: bytes pass in their order, late or not at all, and are counted while they are hindered.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { test } from 'uvu';
import { openWire, type Wire } from '../../soak/wire.ts';
import { until } from '../runtime.ts';

/** Answers what it hears. */
const echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket));
let wire: Wire;
let socket: Socket;
let heard = '';

test.before(async () => {
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  wire = await openWire(`postgres://nobody@127.0.0.1:${(echo.address() as AddressInfo).port}/none`);
  socket = connect(Number(new URL(wire.url).port), '127.0.0.1');
  socket.on('data', (data) => (heard += data));
});
test.before.each(() => {
  heard = '';
});
test.after(async () => {
  socket.destroy();
  await wire.close();
  echo.close();
});

test('without a fault everything passes, and nothing is counted', async () => {
  socket.write('one');
  await until(() => heard === 'one', 'it comes back');
  assert.deepEqual([wire.toDatabase.hindered, wire.fromDatabase.hindered], [0, 0]);
});

for (const way of ['toDatabase', 'fromDatabase'] as const)
  test(`cut in one direction, ${way}: nothing comes back until it is healed, then all of it in its order`, async () => {
    wire[way].isCut = true;
    const before = wire[way].hindered;
    socket.write('two');
    socket.write(' three');
    await until(() => wire[way].hindered > before, 'it is held');
    await after(50);
    assert.equal(heard, '');
    wire.heal();
    socket.write(' four');
    await until(() => heard === 'two three four', 'it comes back');
    assert.ok(wire[way].hindered >= before + 3);
  });

test('slow: it comes late, and in its order', async () => {
  wire.toDatabase.delayMs = 100;
  const [begin, before] = [performance.now(), wire.toDatabase.hindered];
  socket.write('five');
  await until(() => wire.toDatabase.hindered > before, 'it has arrived');
  wire.heal();
  socket.write(' six');
  await until(() => heard === 'five six', 'it comes back');
  assert.ok(performance.now() - begin >= 95);
});

test.run();
