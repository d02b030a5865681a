// Serves the requests of one connection one after the other. HTTP allows pipelining (RFC 9112 section 9.3.2), and without this the answers would pile up in memory.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Waiting = readonly [IncomingMessage, ServerResponse];

interface Line {
  isBusy: boolean;
  readonly waiting: Waiting[];
}

/** Requests that may wait behind the current one. Usual clients wait for each answer before they send the next request. */
const MAX_WAITING = 8;

/** Closes the connection if more than MAX_WAITING requests wait. @param onFirst told of each connection that sends its first request */
export function oneByOne(handle: RequestListener, onFirst: (socket: Socket) => void): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const begin = (line: Line, request: IncomingMessage, response: ServerResponse) => {
    line.isBusy = true;
    // It closes once.
    response.on('close', () => {
      line.isBusy = false;
      const next = line.waiting.shift();
      if (next && !next[0].socket.destroyed) begin(line, ...next);
    });
    handle(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (!line) {
      line = { isBusy: false, waiting: [] };
      lines.set(socket, line);
      onFirst(socket);
    }
    if (!line.isBusy) begin(line, request, response);
    else if (line.waiting.length < MAX_WAITING) line.waiting.push([request, response]);
    else socket.destroy();
  };
}
