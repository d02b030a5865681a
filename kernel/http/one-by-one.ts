// The requests of one connection are answered one after the other: HTTP lets a client send many at once (RFC 9112 section 9.3.2), and their answers would wait in memory.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Waiting = readonly [IncomingMessage, ServerResponse];

interface Line {
  isBusy: boolean;
  readonly waiting: Waiting[];
}

/** Browsers and clients wait for each answer; one that does not is heard this far ahead. */
const MAX_WAITING = 8;

/** A client that sends more requests ahead than MAX_WAITING has its connection closed. */
export function oneByOne(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  const begin = (line: Line, request: IncomingMessage, response: ServerResponse) => {
    line.isBusy = true;
    response.once('close', () => {
      line.isBusy = false;
      const next = line.waiting.shift();
      if (next && !next[0].socket.destroyed) begin(line, ...next);
    });
    handle(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { isBusy: false, waiting: [] };
    lines.set(socket, line);
    if (!line.isBusy) begin(line, request, response);
    else if (line.waiting.length < MAX_WAITING) line.waiting.push([request, response]);
    else socket.destroy();
  };
}
