// The server of Node below the front: its limits, its connections, and the order of the answers of each.
import type { RequestListener } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { KernelConfig } from '../../config/sections.ts';
import type { FrontLimits } from '../../limits/front-limits.ts';
import { ReceivedRequest } from '../received-request.ts';
import { type Connections, watchConnections } from './connections.ts';
import { oneByOne } from './one-by-one.ts';
import { refuseConnect } from './refuse-unparsed.ts';
import { sourceOf } from './source.ts';

interface ServerParts {
  readonly http: KernelConfig['http'];
  readonly tls: ServerOptions;
  readonly limits: FrontLimits;
}

export interface WatchedServer {
  readonly server: Server;
  readonly connections: Connections;
  /** Ends a connection once what came before is answered. */
  endAfterAnswers(socket: Socket, end: () => void): void;
}

/** Idle connections cost memory, so time is limited for the headers of a request and, with keep-alive, for the next request. */
const HEADERS_MS = 10_000;
export const KEEP_ALIVE_MS = 15_000;
const CHECK_MS = 2_000;
export const MAX_HEADER_BYTES = 16_384;

export function watchedServer({ http, tls, limits }: ServerParts, handle: RequestListener): WatchedServer {
  const server = createServer({ ...tls, ...serverOptions(http) });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // It answers before it ends such a connection: half-closed.ts has the rest.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = watchConnections(server, limits.connections.https);
  server.on('secureConnection', (socket) => limits.stalled.watch(socket, `from ${sourceOf(socket.remoteAddress ?? '')}`));
  const { serve, endAfter } = oneByOne(endingSome(connections, handle), (socket) => connections.noteActivity(socket));
  server.on('request', serve);
  // Nothing is continued before a body is read: what is refused without it need not be sent.
  server.on('checkContinue', serve);
  // Node answers an unknown expectation with no body, and CONNECT not at all; malformed.ts refuses the first.
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket: Socket) => endAfter(socket, () => refuseConnect(socket)));
  return { server, connections, endAfterAnswers: endAfter };
}

/**
 * Some connections end with an answer; Node then writes `Connection: close` (RFC 9112 section 9.6): those that are to be made anew, and those of a request
 * that asks for another protocol. It is answered as if it did not, but what stood behind it in its packet is lost: Node's parser leaves it to that protocol.
 */
function endingSome(connections: Connections, handle: RequestListener): RequestListener {
  return (request, response) => {
    if (connections.isToRenew(request.socket) || request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    handle(request, response);
  };
}

function serverOptions(http: KernelConfig['http']): ServerOptions {
  return {
    IncomingMessage: ReceivedRequest,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: Math.min(HEADERS_MS, http.request_timeout * 1000),
    requestTimeout: http.request_timeout * 1000,
    connectionsCheckingInterval: CHECK_MS,
    ALPNProtocols: ['http/1.1'],
    // Of a header that is allowed once, Node takes the first line; joined, several lines are refused.
    joinDuplicateHeaders: true,
    // Without it Node answers 400 with no body; malformed.ts refuses such a request in the usual form.
    requireHostHeader: false,
  };
}
