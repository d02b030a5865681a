// Answers methods that the parser does not know like other unsupported methods: 405 with Allow if the path exists (RFC 9110 section 15.5.6).
import type { FastifyInstance } from 'fastify';
import { UNTAKEN } from './other-methods.ts';

/** A method is a token (RFC 9110 section 5.6.2). Other bytes that the parser refuses are not a request. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} (\/[\x21-\x7e]{0,8191}) HTTP\/1\.[01]\r?\n/;

export interface UnknownMethod {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @returns the answer for an unsupported method on this path; undefined if the bytes do not begin with a request line */
export async function answerUnknownMethod(app: FastifyInstance, { code, rawPacket, bytesParsed = 0 }: ParserError): Promise<UnknownMethod | undefined> {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return undefined;
  // Another request stands before these bytes.
  if (rawPacket.subarray(0, bytesParsed).includes('\n')) return undefined;
  const path = REQUEST_LINE.exec(rawPacket.toString('latin1'))?.[1];
  if (path === undefined) return undefined;
  const { statusCode, statusMessage, headers, body } = await app.inject({ method: UNTAKEN, url: path });
  const kept = ['allow', 'x-request-id'].flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []));
  return { status: statusCode, reason: statusMessage, headers: Object.fromEntries(kept), body };
}

export interface ParserError {
  readonly code?: string;
  readonly rawPacket?: unknown;
  /** Bytes of the packet before the error. */
  readonly bytesParsed?: number;
}
