// Answers bytes that the HTTP parser or TLS refused.
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { KERNEL_FAULTS } from '../fault.ts';
import type { Connections } from './connections.ts';
import { parserProblem } from './problem.ts';
import { answerUnknownMethod, type ParserError, type UnknownMethod } from './unknown-method.ts';

/**
 * Sends the same body as for any other error, then closes the connection. Before the TLS handshake nothing can be sent, with one
 * exception: a client that uses `http://` instead of `https://`, a common mistake, gets an unencrypted answer.
 */
export async function refuseUnparsed(app: FastifyInstance, error: ParserError, socket: Socket, connections: Connections): Promise<void> {
  if (error.code === 'ERR_SSL_HTTP_REQUEST')
    return refuse(connections.below(socket) ?? socket, 400, 'Bad Request', 'BAD_REQUEST', 'this port accepts TLS only; use https:// instead of http://');
  if (!connections.hasShakenHands(socket) || error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const unknown = await answerUnknownMethod(app, error).catch(() => undefined);
  if (unknown) return hangUp(socket, unknown);
  const { status, reason, code } = parserProblem(error);
  refuse(socket, status, reason, code, KERNEL_FAULTS[code].message);
}

/** CONNECT names a host and no path, and gets no further: no method is allowed there (RFC 9110 section 10.2.1). */
export function refuseConnect(socket: Socket): void {
  if (socket.writable) refuse(socket, 405, 'Method Not Allowed', 'METHOD_NOT_ALLOWED', KERNEL_FAULTS.METHOD_NOT_ALLOWED.message, { Allow: '' });
}

function refuse(socket: Socket, status: number, reason: string, code: string, message: string, headers: UnknownMethod['headers'] = {}): void {
  hangUp(socket, { status, reason, headers, body: JSON.stringify({ code, message, errors: [message], request_id: randomUUID() }) });
}

function hangUp(socket: Socket, { status, reason, headers, body }: UnknownMethod): void {
  const all = { ...headers, 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`);
  socket.destroySoon();
}
