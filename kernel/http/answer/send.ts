// Sends the answer of a route. A small one leaves in one write, past Fastify's serialization and hooks: they have nothing to do for it and cost more than making it.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Leaving, leaveTogether } from '../../leave-together.ts';
import { SLICE_BYTES } from '../../slices.ts';
import type { Response } from '../route.ts';
import { isForOnce } from './answers.ts';
import { DEFAULT_HEADERS, ID_HEADER } from './default-headers.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
/** They have no body, or a body without a length. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Only undefined is an empty body; `null` is sent as JSON. @returns the reply if Fastify sends it, undefined if it is sent */
export function send(request: FastifyRequest, reply: FastifyReply, answer: Response): FastifyReply | undefined {
  const { status, body, headers, once } = answer;
  if (body === undefined) return withHeaders(reply.code(status), headers).send(isUnmeasured(request, status) ? Readable.from([]) : undefined);
  const isBytes = body instanceof Uint8Array;
  const isText = typeof body === 'string' && answer.type !== undefined;
  if (!isBytes && !isText && isPiecewise(body))
    return withHeaders(reply.code(status), headers)
      .type(answer.type ?? 'text/plain; charset=utf-8')
      .send(Readable.from(body, { objectMode: false }));
  const sent = isBytes || isText ? body : JSON.stringify(body);
  const type = isBytes ? (answer.type ?? 'application/octet-stream') : isText ? (answer.type as string) : JSON_TYPE;
  // Fastify adds a charset to the type of a text in JSON.
  const isPlain = headers === undefined && !BODILESS.has(status) && (isBytes || type === JSON_TYPE || !type.includes('json'));
  if (isPlain && sent.length <= SLICE_BYTES && request.method !== 'HEAD') return void sendSmall(request, reply, status, type, sent);
  if (once && isBytes) isForOnce(body);
  return withHeaders(reply.code(status), headers).type(type).send(sent);
}

/** Fastify tells a HEAD that an empty answer has the length 0, which these may not (RFC 9110 section 8.6), but no length for a stream. */
function isUnmeasured({ method }: FastifyRequest, status: number): boolean {
  return method === 'HEAD' && (status === 204 || status === 304);
}

function isPiecewise(body: unknown): body is AsyncIterable<string> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function withHeaders(reply: FastifyReply, headers: Response['headers']): FastifyReply {
  return headers ? reply.headers(headers) : reply;
}

/** Head and body in one piece: each write costs a record of TLS and a call of the system. */
function sendSmall(request: FastifyRequest, reply: FastifyReply, status: number, type: string, body: string | Uint8Array): void {
  const { response } = request;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  response.writeHead(status, DEFAULT_HEADERS.concat(ID_HEADER, request.id, 'content-type', type, 'content-length', String(length)));
  reply.hijack();
  // Node joins a text with the head, and bytes it would write separately. A text with one byte for each character is ASCII, which it writes without measuring it.
  if (typeof body === 'string') leaveTogether(new SmallAnswer(response, body, length === body.length ? 'latin1' : 'utf8'));
  else leaveTogether(new SmallAnswer(response, Buffer.from(body.buffer, body.byteOffset, length).toString('latin1'), 'latin1'));
}

/** What is sent of a response whose head is known. */
class SmallAnswer implements Leaving {
  readonly #response: ServerResponse;
  readonly #body: string;
  readonly #encoding: BufferEncoding;

  constructor(response: ServerResponse, body: string, encoding: BufferEncoding) {
    this.#response = response;
    this.#body = body;
    this.#encoding = encoding;
  }

  get hasLeft(): boolean {
    return this.#response.writableFinished;
  }

  leave(): void {
    this.#response.end(this.#body, this.#encoding);
  }
}
