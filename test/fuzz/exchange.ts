// Bytes for a connection, and what became of them: an answer, a close, or silence, which is none of both.
import type { TLSSocket } from 'node:tls';

/**
 * How an exchange ended: `answered` as the asker has defined it, `closed` by the other side, `silent` when it said nothing for the patience given
 * and closed after the asker had closed, `held` when it did not even do that.
 */
export type Ending = 'answered' | 'closed' | 'silent' | 'held';

export interface Exchanged {
  readonly ending: Ending;
  /** All that was received. */
  readonly answer: Buffer;
}

export interface ExchangeOptions {
  /** Whether all that was asked has been answered; false leaves it to the other side to close. */
  readonly isAnswered: (answer: Buffer) => boolean;
  /** Silence of the other side that ends the wait. */
  readonly patienceMs: number;
  /** For the other side to close once the asker has. */
  readonly closeMs?: number;
}

const MAX_CLOSE_MS = 5_000;

export function exchange(socket: TLSSocket, bytes: Uint8Array, { isAnswered, patienceMs, closeMs = MAX_CLOSE_MS }: ExchangeOptions): Promise<Exchanged> {
  let answer: Buffer = Buffer.alloc(0);
  let ending: Ending = 'closed';
  let timer: NodeJS.Timeout;
  return new Promise((resolve) => {
    const leave = (why: Ending) => {
      ending = why;
      socket.end();
      clearTimeout(timer);
      timer = setTimeout(() => {
        // It has answered, and only the close is owed.
        if (why === 'silent') ending = 'held';
        socket.destroy();
      }, closeMs);
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => leave('silent'), patienceMs);
    };
    wait();
    // What a server may do with garbage is to reset the connection; what it had said before counts.
    socket.on('error', () => {});
    socket.once('secureConnect', () => {
      wait();
      socket.write(bytes);
    });
    socket.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      if (ending !== 'closed') return;
      if (isAnswered(answer)) leave('answered');
      else wait();
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve({ ending, answer });
    });
  });
}
