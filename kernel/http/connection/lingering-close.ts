// Closes connections whose clients are still sending, so that they can read the last answer (RFC 9112 section 9.6).
import { Socket } from 'node:net';

/** For clients that read no answer before they have sent everything. */
const LINGER_MS = 5_000;

const lingering = new WeakSet<Socket>();

/** Whether the last answer of a connection is written. What still arrives is no request of anybody. */
export function isLingering(socket: Socket): boolean {
  return lingering.has(socket);
}

/**
 * Closes the server's side, and reads on until the client closes its own: if bytes that nobody has read are thrown away, TCP resets the
 * connection, and the client may lose the answer.
 * @param last written before
 */
export function closeLingering(socket: Socket, last?: string): void {
  if (lingering.has(socket)) return;
  lingering.add(socket);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  if (last === undefined) socket.end();
  else socket.end(last);
  socket.resume();
}

/** Closes a connection once everything is written, whatever its client still sends. */
export function closeAtOnce(socket: Socket): void {
  Socket.prototype.destroySoon.call(socket);
}

/** From now on Node, which closes a connection after an answer with `Connection: close`, lingers in doing so. @param isSending whether the client has sent more than was answered */
export function lingerIf(socket: Socket, isSending: () => boolean): void {
  socket.destroySoon = () => (isSending() ? closeLingering(socket) : closeAtOnce(socket));
}
