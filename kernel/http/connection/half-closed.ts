// A client that has closed its side of a connection gets the answers to what it asked before (RFC 9293 section 3.6, RFC 8446 section 6.1), unless it turns out to be gone.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Most answers have left by then. A write on a connection that is closed on both sides brings a reset, and only the write after that one fails. */
const FIRST_WAIT_MS = 250;
/** Each wait is twice the one before, up to this. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Who has closed both sides, or has ended, looks the same as who has closed one, until something is sent there. Before an answer has begun this is
 * `100 Continue`, which every client of HTTP/1.1 passes over (RFC 9110 section 15.2); HTTP/1.0 has nothing that could be sent. An answer that is being
 * sent shows it by itself.
 * @param answer the one that is being made or sent
 */
export function serveHalfClosed(socket: Socket, answer: () => ServerResponse | undefined): void {
  socket.allowHalfOpen = true;
  let waitMs = FIRST_WAIT_MS;
  const wait = () => {
    setTimeout(look, waitMs).unref();
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  };
  const look = () => {
    const response = answer();
    // Node ends the connection after the last answer.
    if (socket.destroyed || !response) return;
    if (!response.headersSent && response.req.httpVersion === '1.1') response.writeContinue();
    wait();
  };
  socket.once('end', wait);
}
