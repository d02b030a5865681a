// Builds a front in a thread of its own: plugins, routes, contexts, limits, the parts of actors beside it, and its ports.
import type { Remote } from '../actor.ts';
import { actorSpecs } from '../catalog/actors.ts';
import { type Catalog, loadCatalog } from '../catalog/load.ts';
import { routesOf } from '../catalog/routes.ts';
import type { LocalClock } from '../clock.ts';
import { type Contexts, contextsOf } from '../context.ts';
import type { WholeServer } from '../health/whole-server.ts';
import type { Front } from '../http/front.ts';
import { certificatesIn } from '../http/tls/tls.ts';
import { frontLimits } from '../limits/front-limits.ts';
import type { Log } from '../log/log-entry.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { figuresOf } from '../metrics/totals.ts';
import type { AnyPlugin } from '../plugin.ts';
import { callWith } from '../runtime/mailbox/remote.ts';
import { collectLargeBytes, IN_FRONT } from '../runtime/measure/collect.ts';
import { BesideParts } from '../runtime/open-beside.ts';
import { openSharedMemory, type SharedMemory } from '../shared/memory.ts';
import type { Status } from '../status.ts';
import type { SpanSink } from '../tracing/span.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { openTracer } from '../tracing/tracing.ts';
import { Unwind } from '../unwind.ts';
import type { Versions } from '../versions.ts';
import { Callees } from './callees.ts';
import type { FrontApi, FrontTask, KernelApi } from './front-task.ts';
import { loopMeter } from './growth.ts';
import { createPorts, type Opened } from './ports.ts';

interface Surroundings {
  readonly clock: LocalClock;
  readonly log: Log;
  readonly versions: Versions;
  readonly kernel: Remote<KernelApi>;
  /** Tells the main thread the status of a part of an actor in this thread. */
  report(status: Status): void;
  /** Takes the spans of this thread. */
  readonly spans: SpanSink;
}

interface ThreadFront {
  readonly api: FrontApi;
  readonly callees: Callees;
  /** Waits for running requests, then ends everything. */
  close(): Promise<void>;
}

/** A call that waits until the key server is unsealed has in effect no deadline. */
const FOR_EVER_MS = 2 ** 31 - 1;
const DRAIN_MS = 1_000;

interface Parts extends Surroundings {
  readonly catalog: Catalog;
  readonly callees: Callees;
  readonly contexts: Contexts;
  readonly shared: SharedMemory;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly served: { front?: Front; whole?: WholeServer; tls: FrontTask['tls'] };
  readonly unwind: Unwind;
}

export async function openFront(task: FrontTask, surroundings: Surroundings): Promise<ThreadFront> {
  const { log } = surroundings;
  const unwind = new Unwind();
  const parts = await build(task, surroundings, unwind);
  const { callees, metrics, served } = parts;
  const ports = await portsOf(task, parts);
  served.front = ports.front;
  let opened: Opened | undefined;
  return {
    callees,
    close: () => unwind.run(log),
    api: {
      async open(at) {
        await openBeside(task, parts);
        opened = await ports.open(at ?? undefined);
        // They may have changed while this front started.
        if (served.tls !== task.tls) opened.applyTls(served.tls);
        return { address: opened.address, listeners: new Map(opened.listeners.map(({ name, address }) => [name, address])) };
      },
      applyTls(tls) {
        served.tls = tls;
        opened?.applyTls(tls);
      },
      renew: () => ports.front.renew(),
      drain: () => ports.drain(),
      busy: loopMeter(),
      figures: () => figuresOf(metrics.registry),
      overdue: () => callees.overdue(),
    },
  };
}

async function build(task: FrontTask, surroundings: Surroundings, unwind: Unwind): Promise<Parts> {
  const { config, sections, base, version, dataDir, flags } = task;
  const { clock, log, kernel } = surroundings;
  const { BUILT_IN } = (await import(task.builtIn)) as { BUILT_IN: readonly AnyPlugin[] };
  const modules = config.plugins.map(({ module }) => module);
  const catalog = await loadCatalog(BUILT_IN, modules, base);
  const metrics = createMetrics();
  const tracer = await openTracer(config.tracing, surroundings.spans);
  const shared = openSharedMemory(task.shared, task.thread);
  unwind.add('shared memory', () => shared.bell.close());
  const callees = new Callees(actorSpecs(catalog.plugins, sections, config, base, version, dataDir), {
    ...{ clock, shared, observe: (actor) => metrics.observe(actor) },
    // Whatever the main thread cannot do is told by the state of the actor's thread.
    onNeeded: (...thread) => void kernel.needed(...thread).catch(() => {}),
    // The main thread ends it; if it cannot be asked, it has ended itself.
    onLate: (...thread) => void kernel.late(...thread).catch(() => {}),
  });
  unwind.add('calls', () => callees.drain(DRAIN_MS));
  metrics.watchCalls(() => callees.groups.values());
  const stopping = new AbortController();
  unwind.add('plugins', () => stopping.abort());
  const served: Parts['served'] = { tls: task.tls };
  const contexts = contextsOf(
    { catalog, sections, flags, log },
    {
      ...{ runtime: callees, clock, metrics, shared: shared.regions, dataDir, version, env: {}, signal: stopping.signal },
      front: {
        openapi: (format) => (served.front as Front).openapi(format),
        certificateChain: () => certificatesIn(String(served.tls.cert)),
        settings: () => task.settings,
        whole: () => served.whole as WholeServer,
      },
    },
  );
  unwind.add('collection', collectLargeBytes(IN_FRONT));
  return { ...surroundings, catalog, callees, contexts, shared, metrics, tracer, served, unwind };
}

async function portsOf({ config, tls, version }: FrontTask, parts: Parts): ReturnType<typeof createPorts> {
  const { catalog, contexts, shared, clock, log, metrics, tracer, unwind, kernel } = parts;
  const listeners = [...contexts].flatMap(([plugin, ctx]) => plugin.listeners?.(ctx) ?? []);
  const limits = frontLimits(config.http, listeners, clock, shared);
  unwind.add('front limits', () => limits.close());
  const whole = { notReady: () => kernel.notReady(), degraded: () => kernel.degraded(), scrape: () => kernel.scrape() };
  parts.served.whole = whole;
  const common = { config, catalog, contexts, tls, version, limits, metrics, tracer, clock, log, unwind, whole, reusePort: true };
  return createPorts({ ...common, routes: routesOf(contexts), listeners });
}

/** The front's own replicas of actors. Those of the key server open when it is unsealed. */
async function openBeside({ store, node, isCopying }: FrontTask, { callees, clock, log, versions, kernel, report, tracer, unwind }: Parts): Promise<void> {
  const parts = new BesideParts({
    ...{ clock, log, versions, store, node, isCopying, report, callees: callees.groups, isTraced: tracer !== undefined },
    dataKey: (purpose) => kernel.dataKey(purpose),
    unsealed: () => callWith(kernel, { deadlineMs: FOR_EVER_MS }).unsealed(),
  });
  unwind.add('parts of actors', () => parts.close());
  for (const callee of callees.groups.values()) await parts.open(callee);
}
