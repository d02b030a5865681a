// The routes /operations/...: the state of the server for super admins, wherever they are; /ready and /metrics tell it to programs on known machines.
import { Registry } from 'prom-client';
import type { Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { requireSuperAdmin } from './rights.ts';

const STATUS = Type.Object({
  version: Type.String(),
  not_ready: Type.Array(Type.String(), { description: 'the parts that are not ready, each with its reason' }),
  degraded: Type.Array(Type.String(), { description: 'what works less than it should although all parts are ready' }),
});
const CONFIG = Type.Object({
  settings: Type.Array(
    Type.Object({
      key: Type.String({ description: 'as in a path of config.toml: http.port' }),
      value: Type.Unknown({ description: 'a secret is (secret), or empty if there is none' }),
      source: Type.String({ description: 'default, the path of the file, a variable, a flag, or flags' }),
    }),
  ),
});
/** A live view is read again after this time, in milliseconds. */
const LIVE_MS = 3_000;
const METRICS = Registry.PROMETHEUS_CONTENT_TYPE;
const common = { method: 'GET', auth: ['cookie'], tag: 'Operations' } as const;

export function operationsRoutes(ctx: AuthContext): readonly Route[] {
  return [
    {
      ...common,
      path: '/operations/status',
      live: { everyMs: LIVE_MS },
      summary: 'Get what is not ready, and what is degraded',
      responses: { 200: { description: 'the state of the server', schema: STATUS }, 403: { description: 'not allowed' } },
      async handle(request) {
        await requireSuperAdmin(ctx, request);
        const whole = ctx.front.whole();
        const [notReady, degraded] = await Promise.all([whole.notReady(), whole.degraded()]);
        return { status: 200, body: { version: ctx.version, not_ready: notReady, degraded } };
      },
    },
    {
      ...common,
      path: '/operations/config',
      summary: 'Get the configuration in use, without secrets, and where each value comes from',
      responses: { 200: { description: 'the configuration', schema: CONFIG }, 403: { description: 'not allowed' } },
      async handle(request) {
        await requireSuperAdmin(ctx, request);
        return { status: 200, body: { settings: ctx.front.settings() } };
      },
    },
    {
      ...common,
      path: '/operations/metrics',
      live: { everyMs: LIVE_MS },
      summary: 'Get the metrics in the text format of Prometheus',
      responses: { 200: { description: 'the metrics of all threads', type: METRICS, schema: Type.String() }, 403: { description: 'not allowed' } },
      async handle(request) {
        await requireSuperAdmin(ctx, request);
        return { status: 200, body: await ctx.front.whole().scrape(), type: METRICS };
      },
    },
  ];
}
