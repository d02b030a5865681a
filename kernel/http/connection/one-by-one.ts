// Serves the requests of one connection one after the other. HTTP allows pipelining (RFC 9112 section 9.3.2), and without this the answers would pile up in memory.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { serveHalfClosed } from './half-closed.ts';
import { closeLingering, isLingering, lingerIf } from './lingering-close.ts';

type Waiting = readonly [IncomingMessage, ServerResponse];

interface Line {
  /** The request that is being served. */
  current: IncomingMessage | undefined;
  answer: ServerResponse | undefined;
  /** The one before. It may have been answered before it had arrived completely. */
  answered: IncomingMessage | undefined;
  readonly waiting: Waiting[];
  /** What ends the connection once its answers are sent. */
  end?: () => void;
}

export interface InTurn {
  readonly serve: RequestListener;
  /**
   * For bytes that are no request: what came before them is answered first, in its place. Those of a request that has its answer already get none of their own.
   * @param end called once, after the answers to the requests of this connection that have arrived completely
   */
  endAfter(socket: Socket, end: () => void): void;
}

/** Requests that may wait behind the current one. Usual clients wait for each answer before they send the next request. */
const MAX_WAITING = 8;

/** Closes the connection if more than MAX_WAITING requests wait. @param onFirst told of each connection that sends its first request */
export function oneByOne(handle: RequestListener, onFirst: (socket: Socket) => void): InTurn {
  const lines = new WeakMap<Socket, Line>();
  const begin = (line: Line, request: IncomingMessage, response: ServerResponse) => {
    line.current = request;
    line.answer = response;
    // It closes once.
    response.on('close', () => {
      line.answered = request;
      line.current = undefined;
      line.answer = undefined;
      const next = line.waiting.shift();
      if (!next) line.end?.();
      else if (next[0].socket.writable) begin(line, ...next);
    });
    handle(request, response);
  };
  const first = (socket: Socket): Line => {
    const line: Line = { current: undefined, answer: undefined, answered: undefined, waiting: [] };
    lines.set(socket, line);
    lingerIf(socket, () => line.current?.complete === false || line.waiting.length > 0);
    serveHalfClosed(socket, () => line.answer);
    onFirst(socket);
    return line;
  };
  const serve: RequestListener = (request, response) => {
    const { socket } = request;
    if (isLingering(socket)) return;
    const line = lines.get(socket) ?? first(socket);
    if (!line.current) begin(line, request, response);
    else if (line.waiting.length < MAX_WAITING) line.waiting.push([request, response]);
    else socket.destroy();
  };
  return { serve, endAfter: (socket, end) => endAfter(lines.get(socket), socket, end) };
}

function endAfter(line: Line | undefined, socket: Socket, end: () => void): void {
  if (!line) return end();
  const { current, answer, answered } = line;
  // A second answer to one request would be taken for that of the next one (RFC 9112 section 9.2).
  const close = () => closeLingering(socket);
  if (!current) return answered?.complete === false ? close() : end();
  const isAnswered = !current.complete && answer?.headersSent === true;
  if (!current.complete && !isAnswered) return end();
  // The parser reports its error again for whatever follows.
  if (line.end) return;
  line.end = isAnswered ? close : end;
  // Its body is what could not be read.
  if (line.waiting.at(-1)?.[0].complete === false) line.waiting.pop();
}
