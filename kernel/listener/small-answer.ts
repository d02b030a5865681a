// Writes an answer that fits into one slice, together with the other answers of the moment.
import type { Socket } from 'node:net';
import { leaveTogether } from '../leave-together.ts';

/** Settles when the next answer may be written, or when the connection is gone. */
export function writeTogether(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    leaveTogether({
      leave() {
        if (socket.destroyed || socket.write(bytes, () => resolve())) resolve();
      },
      get hasLeft() {
        return socket.writableLength === 0;
      },
    });
  });
}
