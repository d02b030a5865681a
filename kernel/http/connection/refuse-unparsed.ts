// Answers bytes that the HTTP parser or TLS refused.
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { KERNEL_FAULTS } from '../../fault.ts';
import { DEFAULTS, ID_HEADER } from '../answer/default-headers.ts';
import { parserProblem } from '../answer/problem.ts';
import { answerUnknownMethod, type ParserError, type UnknownMethod } from '../unknown-method.ts';
import type { Connections } from './connections.ts';
import { closeAtOnce, closeLingering, isLingering } from './lingering-close.ts';

type Defaults = Readonly<Record<string, string>>;
/** Without encryption nothing may be said of Strict-Transport-Security (RFC 6797 section 7.2). */
const { 'strict-transport-security': _, ...PLAIN } = DEFAULTS;

/**
 * Sends the same body as for any other error, then closes the connection. Before the TLS handshake nothing can be sent, with one
 * exception: a client that uses `http://` instead of `https://`, a common mistake, gets an unencrypted answer.
 */
export async function refuseUnparsed(app: FastifyInstance, error: ParserError, socket: Socket, connections: Connections): Promise<void> {
  // The parser reports its error again for whatever follows.
  if (isLingering(socket)) return;
  if (error.code === 'ERR_SSL_HTTP_REQUEST')
    return hangUp(
      connections.below(socket) ?? socket,
      refusal(400, 'Bad Request', 'BAD_REQUEST', 'this port accepts TLS only; use https:// instead of http://'),
      PLAIN,
    );
  if (!connections.hasShakenHands(socket) || error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  // Without waiting for anything else: a request of which this is the body may be answered in the meantime.
  const unknown = error.code === 'HPE_INVALID_METHOD' ? await answerUnknownMethod(app, error).catch(() => undefined) : undefined;
  if (unknown) return closeLingering(socket, textOf(unknown));
  const { status, reason, code } = parserProblem(error);
  const answer = refusal(status, reason, code, KERNEL_FAULTS[code].message);
  // What a request that took too long still sends would be served.
  if (code === 'REQUEST_TIMEOUT') hangUp(socket, answer);
  else closeLingering(socket, textOf(answer));
}

/** CONNECT names a host and no path, and gets no further: no method is allowed there (RFC 9110 section 10.2.1). */
export function refuseConnect(socket: Socket): void {
  if (!socket.writable) return;
  const { message } = KERNEL_FAULTS.METHOD_NOT_ALLOWED;
  closeLingering(socket, textOf(refusal(405, 'Method Not Allowed', 'METHOD_NOT_ALLOWED', message, { Allow: '' })));
}

function refusal(status: number, reason: string, code: string, message: string, headers: UnknownMethod['headers'] = {}): UnknownMethod {
  const id = randomUUID();
  return { status, reason, headers: { ...headers, [ID_HEADER]: id }, body: JSON.stringify({ code, message, errors: [message], request_id: id }) };
}

function hangUp(socket: Socket, answer: UnknownMethod, defaults?: Defaults): void {
  socket.end(textOf(answer, defaults));
  closeAtOnce(socket);
}

function textOf({ status, reason, headers, body }: UnknownMethod, defaults: Defaults = DEFAULTS): string {
  const about = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
  // Node writes the date of the answers that it sends (RFC 9110 section 6.6.1).
  const all = { ...defaults, ...headers, ...about, Date: new Date().toUTCString(), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`;
}
