// Makes each request a span: named by its route, never by its path, which may hold names and identifiers.
import { threadId } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import type { Tracer } from '../tracing/tracer.ts';

/** Call it before any other hook is added: what comes later is part of the span. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, { raw: response }, done) => {
    const { method, id, routeOptions, headers } = request;
    if (!tracer.concerns(id, headers)) return done();
    const about = { 'http.request.method': method, 'url.scheme': 'https', 'gatehouse.request_id': id, 'thread.id': threadId };
    const route = routeOptions.url;
    const named = route === undefined ? about : { ...about, 'http.route': route };
    const span = tracer.begin(route === undefined ? method : `${method} ${route}`, named, id, headers);
    request.span = span;
    response.once('close', () => {
      if (!response.writableFinished) return span.end('CANCELLED');
      const status = response.statusCode;
      span.set({ 'http.response.status_code': status });
      // A refusal is no failure of the server (semantic conventions for HTTP server spans).
      span.end(status >= 500 ? String(status) : undefined);
    });
    span.run(done);
  });
}
