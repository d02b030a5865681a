// Opens many connections to a port of this machine and says nothing on them: idle-client.ts tcp|tls PORT COUNT.
import { type Socket, connect as tcp } from 'node:net';
import { connect as tls } from 'node:tls';

const [kind, port, count] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const state = { opened: 0, closed: 0, failed: 0 };
const WIDTH = 200;

function openOne(): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = kind === 'tls' ? tls({ host: '127.0.0.1', port, rejectUnauthorized: false }) : tcp({ host: '127.0.0.1', port });
    let isOpen = false;
    socket.on(kind === 'tls' ? 'secureConnect' : 'connect', () => {
      isOpen = true;
      state.opened += 1;
      resolve();
    });
    socket.on('data', () => {});
    socket.on('error', () => {});
    socket.on('close', () => {
      if (isOpen) state.closed += 1;
      else state.failed += 1;
      resolve();
    });
  });
}

let next = 0;
const opener = async () => {
  while (next < count) {
    next += 1;
    await openOne();
  }
};
setInterval(() => process.send?.({ ...state, done: next >= count && state.opened + state.failed >= count }), 200);
await Promise.all(Array.from({ length: WIDTH }, opener));
