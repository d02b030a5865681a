// The headers that every answer has, errors included.
import type { FastifyInstance, FastifyReply } from 'fastify';

export const DEFAULTS = { 'cache-control': 'no-store', 'strict-transport-security': 'max-age=31536000', 'x-content-type-options': 'nosniff' } as const;
/** Names and values in turn, as `writeHead` takes them. */
export const DEFAULT_HEADERS: readonly string[] = Object.entries(DEFAULTS).flat();
export const ID_HEADER = 'x-request-id';

/** For the answers that Fastify sends; an answer may replace them. */
export function addDefaultHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    setDefaultHeaders(reply);
    done();
  });
}

/** Sets those that the answer does not have yet. */
export function setDefaultHeaders(reply: FastifyReply): FastifyReply {
  for (const name in DEFAULTS) if (!reply.hasHeader(name)) reply.header(name, DEFAULTS[name as keyof typeof DEFAULTS]);
  return reply.header(ID_HEADER, reply.request.id);
}
