// The routes for operators: /health, /ready, /metrics and /version.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { addressList, isListed } from '../address-list.ts';
import { Fault } from '../fault.ts';
import { STOPPING } from '../health/readiness.ts';
import { preferred } from './answer/accept.ts';
import type { Authentication } from './caller/authenticate.ts';
import { isForwarded } from './caller/forwarded.ts';
import { type Described, operationOf, SERVER_TAG } from './openapi/openapi.ts';
import { refuseOthers } from './other-methods.ts';
import type { ResponseDescription } from './route.ts';

interface ProbeOptions {
  /** Names of the parts that are not ready, each with its reason; empty if all are ready. */
  notReady(): Promise<readonly string[]>;
  /** What works less than it should although all parts are ready. */
  degraded(): Promise<readonly string[]>;
  readonly authentication: Authentication;
  /** The metrics in the text format of Prometheus. */
  scrape(): Promise<string>;
  /** Addresses and networks that may read the metrics, in addition to loopback. */
  readonly allow: readonly string[];
  readonly version: string;
  /** Whether a client that states no preference gets the version as JSON. */
  readonly isVersionJson: boolean;
}

const READINESS = {
  type: 'object',
  properties: {
    status: { enum: ['READY', 'NOT_READY'] },
    not_ready: { type: 'array', items: { type: 'string' } },
    degraded: { type: 'array', items: { type: 'string' } },
  },
  required: ['status'],
};
const PLAIN = 'text/plain; charset=utf-8';
const TEXT = { type: PLAIN, schema: { type: 'string' } };

const PROBES: Readonly<Record<string, { readonly summary: string; readonly responses: Readonly<Record<number, ResponseDescription>> }>> = {
  '/health': {
    summary: 'Check that the process serves requests',
    responses: {
      200: { description: 'the process serves requests', schema: { type: 'object', properties: { status: { const: 'UP' } }, required: ['status'] } },
    },
  },
  '/ready': {
    summary: 'Check that every part of the server is ready',
    responses: {
      200: { description: 'every part is ready; callers on the same machine and authenticated callers see what is degraded', schema: READINESS },
      404: {
        description: 'instead of 503, if the query says while_stopping=404 and the server is about to stop: HAProxy then keeps connections',
        schema: READINESS,
      },
      503: {
        description: 'a part is not ready, or the server is about to stop; callers on the same machine and authenticated callers see its name',
        schema: READINESS,
      },
    },
  },
  '/metrics': {
    summary: 'Get the metrics in the text format of Prometheus',
    responses: { 200: { description: 'the metrics', ...TEXT, type: Registry.PROMETHEUS_CONTENT_TYPE }, 403: { description: 'not allowed' } },
  },
  '/version': {
    summary: 'Get the version of the server as plain text, or as a JSON string if Accept prefers it',
    responses: { 200: { description: 'the version', ...TEXT, types: ['text/plain; charset=utf-8', 'application/json'] } },
  },
};

/** HAProxy sends a server that answers so no new connections and cuts none (`http-check disable-on-404`), as it does those of one that is down. */
const STOPPING_STATUS = 404;
const isMerelyStopping = (names: readonly string[]): boolean => names.length === 1 && names[0] === STOPPING;
const asksFor404 = (query: unknown): boolean => (query as Readonly<Record<string, unknown>>)['while_stopping'] === String(STOPPING_STATUS);

export const PROBE_PATHS: readonly string[] = Object.keys(PROBES);

function describeProbe(path: keyof typeof PROBES): { schema: ReturnType<typeof operationOf> } {
  const described: Described = { method: 'GET', path, auth: 'none', tag: SERVER_TAG, ...PROBES[path] };
  return { schema: operationOf(described) };
}

/** What checks credentials may be the part that is not ready: then nobody is known, and the answer is still that of /ready. */
async function isKnown(authentication: Authentication, request: FastifyRequest): Promise<boolean> {
  try {
    return (await authentication.attempt(request)) !== undefined;
  } catch {
    return false;
  }
}

export function addProbes(app: FastifyInstance, { notReady, degraded, authentication, scrape, allow, version, isVersionJson }: ProbeOptions): void {
  const allowed = addressList(allow);
  const loopback = addressList(['127.0.0.0/8', '::1']);
  const isLocal = ({ ip, headers }: FastifyRequest) => isListed(loopback, ip) && !isForwarded(headers);
  for (const path of PROBE_PATHS) refuseOthers(app, path, new Set(['GET']));
  app.get('/health', describeProbe('/health'), async () => ({ status: 'UP' }));
  app.get('/version', describeProbe('/version'), async ({ headers }, reply) => {
    const type = preferred(headers.accept, isVersionJson ? ['application/json', 'text/plain'] : ['text/plain', 'application/json']);
    void reply.header('vary', 'accept');
    return type === 'text/plain' ? reply.type(PLAIN).send(version) : reply.type('application/json; charset=utf-8').send(JSON.stringify(version));
  });
  app.get('/ready', describeProbe('/ready'), async (request, reply) => {
    const names = await notReady();
    const less = await degraded();
    const mayKnow = isLocal(request) || (names.length + less.length > 0 && (await isKnown(authentication, request)));
    reply.code(names.length === 0 ? 200 : isMerelyStopping(names) && asksFor404(request.query) ? STOPPING_STATUS : 503);
    return {
      status: names.length === 0 ? 'READY' : 'NOT_READY',
      ...(names.length > 0 && mayKnow ? { not_ready: names } : {}),
      ...(less.length > 0 && mayKnow ? { degraded: less } : {}),
    };
  });
  app.get('/metrics', describeProbe('/metrics'), async (request, reply) => {
    if (!isLocal(request) && !isListed(allowed, request.ip)) throw new Fault('FORBIDDEN');
    return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await scrape());
  });
}
