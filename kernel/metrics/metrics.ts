// The Prometheus metrics of the kernel, in a registry to which plugins can add theirs.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { CallObserver } from '../runtime/channel/pending.ts';
import type { Group, Runtime } from '../runtime/runtime.ts';
import type { Supervisor } from '../runtime/supervise/supervisor.ts';
import type { Trust } from '../trust.ts';
import { Counts } from './counts.ts';
import { Durations } from './durations.ts';
import { counter, gauge } from './read-anew.ts';
import { exposeSelfTests, selfTestsOf } from './self-tests.ts';

export interface Metrics {
  /** What this thread counts. The figures of all threads that serve requests add up. */
  readonly registry: Registry;
  readonly httpDuration: Durations;
  /** @returns an observer that counts the calls of one actor; cheap enough for every call */
  observe(actor: string): CallObserver;
  /** @returns the counter `gatehouse_<name>`, created on first use */
  counter<L extends string>(name: string, help: string, labels: readonly L[]): Counter<L>;
  /** As counter, for what nearly every request counts. */
  counts(name: string, help: string, labels: readonly string[]): Counts;
  /** Reads the calls of this thread at every scrape. */
  watchCalls(actors: () => Iterable<Callee>): void;
}

/** An actor as this thread calls it. */
type Callee = Pick<Group, 'name' | 'mailboxes'>;

/** The metrics of the whole process, which only the main thread has. */
export interface ProcessMetrics {
  readonly registry: Registry;
  /** Threads that serve requests that were ended because they turned no more. */
  readonly stuckFronts: Counter<'front'>;
  /** Spans by what became of them: exported, failed (the collector has not taken them) or dropped (there was no room). */
  readonly traceSpans: Counter<'outcome'>;
  /** Reads the actors, the seal of the key server, the fronts and the trust in caches at every scrape. */
  watch(runtime: Runtime, isSealed: () => boolean, fronts: () => readonly Supervisor[], trust: Pick<Trust, 'isTrusted'>): void;
}

interface CallFigures {
  readonly outcomes: Map<string, number>;
  waitMs: number;
  runMs: number;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const STUCK = { name: 'gatehouse_front_stuck_total', help: 'Threads that serve requests that were ended because they turned no more' };

export function createMetrics(): Metrics {
  const registry = new Registry();
  const figures = new Map<string, CallFigures>();
  const counts = new Map<string, Counts>();
  exposeCalls(registry, figures);
  return {
    registry,
    httpDuration: new Durations(registry, 'gatehouse_http_request_duration_seconds', 'Duration of HTTP requests', SECONDS),
    observe(actor) {
      const own: CallFigures = { outcomes: new Map(), waitMs: 0, runMs: 0 };
      figures.set(actor, own);
      return (outcome, waitMs, runMs) => {
        own.outcomes.set(outcome, (own.outcomes.get(outcome) ?? 0) + 1);
        own.waitMs += waitMs;
        own.runMs += runMs;
      };
    },
    counter: <L extends string>(name: string, help: string, labels: readonly L[]) =>
      (registry.getSingleMetric(`gatehouse_${name}`) as Counter<L> | undefined) ??
      new Counter({ name: `gatehouse_${name}`, help, labelNames: [...labels], registers: [registry] }),
    counts(name, help, labels) {
      const known = counts.get(name) ?? new Counts(registry, `gatehouse_${name}`, help, labels);
      counts.set(name, known);
      return known;
    },
    watchCalls: (actors) => exposeQueues(registry, actors),
  };
}

export function createProcessMetrics(): ProcessMetrics {
  const registry = new Registry();
  // Without the gauges that are called totals: each is the sum of the one beside it, and Prometheus takes totals for counters.
  collectDefaultMetrics({ register: registry, prefix: 'gatehouse_' });
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`gatehouse_nodejs_active_${kind}_total`);
  const about = { name: 'gatehouse_trace_spans_total', help: 'Spans of traces by what became of them: exported, failed or dropped' };
  return {
    registry,
    traceSpans: new Counter({ ...about, labelNames: ['outcome'], registers: [registry] }),
    stuckFronts: new Counter({ ...STUCK, labelNames: ['front'], registers: [registry] }),
    watch(runtime, isSealed, fronts, trust) {
      exposeActors(registry, runtime);
      exposeFronts(registry, fronts);
      exposeFlag(registry, 'gatehouse_key_server_sealed', '1 while the key server is sealed: its key-encryption key cannot be reached', isSealed);
      exposeFlag(registry, 'gatehouse_cache_trusted', '1 while this node uses what it has cached; 0: it asks the database each time', () => trust.isTrusted);
      exposeSelfTests(registry, () => selfTestsOf(runtime, fronts()));
    },
  };
}

function exposeCalls(registry: Registry, figures: ReadonlyMap<string, CallFigures>): void {
  const total = <L extends string>(name: string, help: string, labelNames: L[], each: (counter: Counter<L>, actor: string, own: CallFigures) => void) =>
    counter(registry, name, help, labelNames, (sum) => {
      for (const [actor, own] of figures) each(sum, actor, own);
    });
  total('gatehouse_actor_calls_total', 'Calls of actors by outcome: ok or a fault code', ['actor', 'outcome'], (counter, actor, { outcomes }) => {
    for (const [outcome, count] of outcomes) counter.inc({ actor, outcome }, count);
  });
  total('gatehouse_actor_wait_seconds_total', 'Time that calls waited before an actor began to work on them', ['actor'], (counter, actor, { waitMs }) =>
    counter.inc({ actor }, waitMs / 1000),
  );
  total('gatehouse_actor_run_seconds_total', 'Time that actors worked on calls', ['actor'], (counter, actor, { runMs }) =>
    counter.inc({ actor }, runMs / 1000),
  );
}

function exposeQueues(registry: Registry, actors: () => Iterable<Callee>): void {
  gauge(registry, 'gatehouse_actor_queue_depth', 'Waiting and running calls', ['actor'], (depth) => {
    for (const { name, mailboxes } of actors())
      depth.set(
        { actor: name },
        mailboxes.reduce((sum, mailbox) => sum + mailbox.waiting + mailbox.busy, 0),
      );
  });
  counter(
    registry,
    'gatehouse_actor_beside_calls_total',
    'Calls that met the part of an actor beside the front, by how they ended there',
    ['actor', 'outcome'],
    (calls) => {
      for (const { name, mailboxes } of actors())
        for (const [outcome, count] of Object.entries(mailboxes[0]?.beside?.counts ?? {})) calls.inc({ actor: name, outcome }, count);
    },
  );
}

function exposeActors(registry: Registry, runtime: Runtime): void {
  const threads = () => [...runtime.groups.values()].flatMap(({ supervisors }) => supervisors);
  gauge(registry, 'gatehouse_actor_state', 'State of each actor thread, as a label; the value is always 1', ['actor', 'key', 'state'], (state) => {
    for (const { name, key, state: now } of threads()) state.set({ actor: name, key, state: now }, 1);
  });
  counter(registry, 'gatehouse_actor_restarts_total', 'Crashes of actor threads since the start', ['actor', 'key'], (restarts) => {
    for (const { name, key, restarts: count } of threads()) restarts.inc({ actor: name, key }, count);
  });
}

function exposeFronts(registry: Registry, fronts: () => readonly Supervisor[]): void {
  gauge(registry, 'gatehouse_front_state', 'State of each thread that serves requests, as a label; the value is always 1', ['front', 'state'], (state) => {
    for (const { key, state: now } of fronts()) state.set({ front: key, state: now }, 1);
  });
  counter(registry, 'gatehouse_front_restarts_total', 'Crashes of threads that serve requests since the start', ['front'], (restarts) => {
    for (const { key, restarts: count } of fronts()) restarts.inc({ front: key }, count);
  });
}

function exposeFlag(registry: Registry, name: string, help: string, read: () => boolean): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read() ? 1 : 0);
    },
  });
}
