// Serves requests: in the main thread, or in fronts with threads of their own.
import { describe } from '../fault.ts';
import { claimPorts } from '../fronts/claim-ports.ts';
import { Fronts } from '../fronts/fronts.ts';
import { coresMeter, growWhenBusy, loopMeter } from '../fronts/growth.ts';
import { createPorts } from '../fronts/ports.ts';
import { degraded, NO_FRONTS, notReady } from '../health/readiness.ts';
import type { WholeServer } from '../health/whole-server.ts';
import { type FrontLimits, frontLimits } from '../limits/front-limits.ts';
import { figuresOf } from '../metrics/totals.ts';
import { move } from '../runtime/channel/bytes.ts';
import { cores } from '../runtime/runtime.ts';
import { databaseFile } from '../store/store-url.ts';
import { Unwind } from '../unwind.ts';
import type { FrontPlan } from './front-plan.ts';
import type { Opened, Serving } from './serving.ts';

export function serve(serving: Serving, { first, most }: FrontPlan): Promise<Opened> {
  if (first > 1) return serveInThreads(serving, first);
  return most > 1 ? serveAndGrow(serving, most) : serveHere(serving);
}

/** One front, in this thread: nothing crosses, and no memory is used for another thread. */
async function serveHere(serving: Serving): Promise<Opened> {
  const { clock, config, listeners, shared, unwind, runtime, prepared, metrics, processMetrics, versions } = serving;
  const limits = frontLimits(config.http, listeners, clock, shared);
  unwind.add('front limits', () => limits.close());
  metrics.watchCalls(() => runtime.groups.values());
  processMetrics.watch(
    runtime,
    () => prepared.seal.isSealed,
    () => [],
    versions.trust,
  );
  const opened = await openHere(serving, limits, {
    notReady: () => notReady(serving, NO_FRONTS),
    degraded: async () => degraded(serving, NO_FRONTS),
    scrape: async () => `${await processMetrics.registry.metrics()}\n${await metrics.registry.metrics()}`,
  });
  return { ...opened, fronts: undefined };
}

/** Fronts in threads of their own; this thread supervises. */
async function serveInThreads(serving: Serving, count: number): Promise<Opened> {
  const { config, listeners, served, unwind } = serving;
  await claimPorts(config.http, listeners, served.tls);
  const { fronts } = frontsOf(serving, () => {});
  unwind.add('fronts', () => fronts.stop());
  const { address, listeners: addresses } = await fronts.open(count);
  return {
    address,
    listeners: addresses,
    fronts,
    drain: () => fronts.drain(),
    async applyTls(tls) {
      await fronts.applyTls(tls);
      served.tls = tls;
    },
  };
}

/** One front in this thread, and others in threads of their own when they are needed. */
async function serveAndGrow(serving: Serving, most: number): Promise<Opened> {
  const { config, listeners, served, unwind, log, clock, growth } = serving;
  await claimPorts(config.http, listeners, served.tls);
  const { fronts, limits } = frontsOf(serving, () => served.front?.renew());
  const own = new Unwind();
  // At the same time: otherwise one would still take connections while the others end theirs.
  unwind.add('fronts', async () => void (await Promise.all([own.run(log), fronts.stop()])));
  const opened = await openHere({ ...serving, unwind: own, reusePort: true }, limits, {
    notReady: () => fronts.notReady(),
    degraded: async () => fronts.degraded(),
    scrape: () => fronts.scrape(),
  });
  fronts.joinPorts(opened);
  const [loop, unused] = [loopMeter(), coresMeter(cores)];
  const load = async () => {
    const all = [loop(), ...(await fronts.busy())];
    return { fronts: all.reduce((sum, each) => sum + each, 0) / all.length, ...unused() };
  };
  const end = growWhenBusy({
    ...{ clock, load: growth?.load ?? load },
    grow: async () => 1 + (await fronts.grow()) < most,
    onFailure: (error) => log.error({ error: describe(error) }, 'a further front cannot be started'),
  });
  unwind.add('growth', end);
  return {
    ...opened,
    fronts,
    async drain() {
      await Promise.all([opened.drain(), fronts.drain()]);
    },
    async applyTls(tls) {
      await opened.applyTls(tls);
      await fronts.applyTls(tls);
    },
  };
}

async function openHere(serving: Serving & { readonly reusePort?: boolean }, limits: FrontLimits, whole: WholeServer): Promise<Omit<Opened, 'fronts'>> {
  const { served, tracing, reusePort = false } = serving;
  const ports = await createPorts({ ...serving, tracer: tracing?.tracer, tls: served.tls, limits, whole, reusePort });
  served.front = ports.front;
  served.whole = whole;
  const { address, listeners, applyTls } = await ports.open();
  return {
    address,
    listeners: new Map(listeners.map(({ name, address: where }) => [name, where])),
    async drain() {
      ports.drain();
    },
    async applyTls(tls) {
      applyTls(tls);
      served.tls = tls;
    },
  };
}

/** @param onMore called when a further front has opened the ports */
function frontsOf(serving: Serving, onMore: () => void): { readonly fronts: Fronts; readonly limits: FrontLimits } {
  const { config, listeners, served, runtime, prepared, metrics, processMetrics, tracing, unwind, clock, versions, shared, log } = serving;
  // Opened here first, because only this thread makes the memory.
  const limits = frontLimits(config.http, listeners, clock, shared);
  unwind.add('front limits', () => limits.close());
  metrics.watchCalls(() => runtime.groups.values());
  const fronts = new Fronts({
    ...{ tls: served.tls, runtime, shared, limits, clock, versions, log, onMore, onSpans: tracing?.take },
    onStuck: (thread) => processMetrics.stuckFronts.inc({ front: String(thread) }),
    task: taskOf(serving),
    kernel: {
      dataKey: async (purpose) => move(await (purpose === 'keys' ? prepared.seal.dataKey() : prepared.keyring.dataKey(purpose))),
      unsealed: () => prepared.seal.unsealed(),
    },
    notReady: (view) => notReady(serving, view),
    degraded: (view) => degraded(serving, view),
    figures: () => figuresOf(metrics.registry),
    processText: () => processMetrics.registry.metrics(),
  });
  processMetrics.watch(
    runtime,
    () => prepared.seal.isSealed,
    () => fronts.supervisors,
    versions.trust,
  );
  return { fronts, limits };
}

/** What every front gets. A front reads a database in a file only: the password of another, the root key and what a collector asks for stay in this thread. */
function taskOf({ config, sections, flags, settings, base, dataDir, version, store, node, builtIn, isCopying = false }: Serving) {
  return {
    ...{ builtIn: (builtIn as URL).href, sections, flags, settings, base, dataDir, version, node, isCopying },
    config: { ...config, store: { ...config.store, url: '', root_key: '' }, tracing: { ...config.tracing, headers: '' } },
    store: { url: databaseFile(store.url) === undefined ? '' : store.url },
  };
}
