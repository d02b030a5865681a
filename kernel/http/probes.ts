// What operators look at: /health, /ready, /metrics and /version.
import { BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../fault.ts';
import type { Metrics } from '../metrics.ts';
import type { Authentication } from './authenticate.ts';
import { refuseOthers } from './serve-route.ts';

export interface ProbeOptions {
  /** Names of what is not ready, each with its reason; empty when all is well. */
  notReady(): Promise<readonly string[]>;
  readonly authentication: Authentication;
  readonly metrics: Metrics;
  /** Addresses and networks that may read the metrics, beside loopback. */
  readonly allow: readonly string[];
  readonly version: string;
}

export const PROBE_PATHS: readonly string[] = ['/health', '/ready', '/metrics', '/version'];

export function addProbes(app: FastifyInstance, { notReady, authentication, metrics, allow, version }: ProbeOptions): void {
  const allowed = addressList(['127.0.0.0/8', '::1', ...allow]);
  const loopback = addressList(['127.0.0.0/8', '::1']);
  for (const path of PROBE_PATHS) refuseOthers(app, path, new Set(['GET']));
  app.get('/health', async () => ({ status: 'UP' }));
  app.get('/version', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(version));
  app.get('/ready', async (request, reply) => {
    const names = await notReady();
    const mayKnow = isIn(loopback, request) || (names.length > 0 && (await authentication.attempt(request)) !== undefined);
    reply.code(names.length === 0 ? 200 : 503);
    return { status: names.length === 0 ? 'READY' : 'NOT_READY', ...(names.length > 0 && mayKnow ? { not_ready: names } : {}) };
  });
  app.get('/metrics', async (request, reply) => {
    if (!isIn(allowed, request)) throw new Fault('FORBIDDEN');
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

/** @throws Error naming an entry that is neither an address nor a network */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address, prefix] = entry.split('/') as [string, string | undefined];
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (!isIP(address) || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) throw new Error(`${entry}: neither an address nor a network`);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function isIn(list: BlockList, request: FastifyRequest): boolean {
  const address = request.ip.replace(/^::ffff:/, '');
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
