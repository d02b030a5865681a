// Makes the request object that the handler of a route gets.
import type { TLSSocket } from 'node:tls';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { SESSION_COOKIE } from './authenticate.ts';
import { peerCertificate } from './client-certificate.ts';
import type { Caller } from './credential.ts';
import type { Request } from './route.ts';

/** The certificate and the signal are made on first use, because most handlers need neither. @param caller undefined on routes without authentication */
export function viewOf(request: FastifyRequest, reply: FastifyReply, clock: Clock, caller: Caller | undefined): Request {
  let gone: AbortController | undefined;
  return {
    id: request.id,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string>,
    headers: request.headers,
    body: request.body,
    address: request.ip,
    caller,
    cookie: request.cookies[SESSION_COOKIE],
    get certificate() {
      return peerCertificate(request.raw.socket as TLSSocket, clock.now()).view;
    },
    get signal() {
      if (!gone) {
        const controller = new AbortController();
        reply.raw.once('close', () => reply.raw.writableFinished || controller.abort());
        gone = controller;
      }
      return gone.signal;
    },
  };
}
