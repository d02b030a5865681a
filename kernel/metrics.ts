// The Prometheus metrics of the kernel, in a registry to which plugins can add theirs.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallObserver } from './runtime/pending.ts';
import type { Runtime } from './runtime/runtime.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly httpDuration: Histogram<'method' | 'route' | 'status'>;
  /** @returns an observer that counts the calls of one actor; cheap enough for every call */
  observe(actor: string): CallObserver;
  /** @returns the counter `gatehouse_<name>`, created on first use */
  counter<L extends string>(name: string, help: string, labels: readonly L[]): Counter<L>;
  /** Reads the actors and the seal of the key server at every scrape. */
  watch(runtime: Runtime, isSealed: () => boolean): void;
}

interface CallFigures {
  readonly outcomes: Map<string, number>;
  waitMs: number;
  runMs: number;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'gatehouse_' });
  const figures = new Map<string, CallFigures>();
  exposeCalls(registry, figures);
  return {
    registry,
    httpDuration: new Histogram({
      name: 'gatehouse_http_request_duration_seconds',
      help: 'Duration of HTTP requests',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers: [registry],
    }),
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
    watch(runtime, isSealed) {
      exposeActors(registry, runtime);
      exposeSeal(registry, isSealed);
      exposeSelfTests(registry, runtime);
    },
  };
}

function exposeCalls(registry: Registry, figures: ReadonlyMap<string, CallFigures>): void {
  const total = <L extends string>(name: string, help: string, labelNames: L[], each: (counter: Counter<L>, actor: string, own: CallFigures) => void) =>
    new Counter<L>({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const [actor, own] of figures) each(this, actor, own);
      },
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

function exposeActors(registry: Registry, runtime: Runtime): void {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[], read: (gauge: Gauge<L>) => void) =>
    new Gauge<L>({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        read(this);
      },
    });
  gauge('gatehouse_actor_queue_depth', 'Waiting and running calls', ['actor'], (depth) => {
    for (const { name, mailboxes } of runtime.groups.values())
      depth.set(
        { actor: name },
        mailboxes.reduce((sum, mailbox) => sum + mailbox.waiting + mailbox.busy, 0),
      );
  });
  gauge(
    'gatehouse_actor_beside_calls_total',
    'Calls that met the part of an actor beside the front, by how they ended there',
    ['actor', 'outcome'],
    (calls) => {
      for (const { name, mailboxes } of runtime.groups.values())
        for (const [outcome, count] of Object.entries(mailboxes[0]?.beside?.counts ?? {})) calls.set({ actor: name, outcome }, count);
    },
  );
  gauge('gatehouse_actor_state', 'State of each actor thread, as a label; the value is always 1', ['actor', 'key', 'state'], (state) => {
    for (const { name, supervisors } of runtime.groups.values())
      for (const supervisor of supervisors) state.set({ actor: name, key: supervisor.key, state: supervisor.state }, 1);
  });
  gauge('gatehouse_actor_restarts_total', 'Crashes of actor threads since the start', ['actor', 'key'], (restarts) => {
    for (const { name, supervisors } of runtime.groups.values())
      for (const supervisor of supervisors) restarts.set({ actor: name, key: supervisor.key }, supervisor.restarts);
  });
}

function exposeSeal(registry: Registry, isSealed: () => boolean): void {
  new Gauge({
    name: 'gatehouse_key_server_sealed',
    help: '1 while the key server is sealed: its key-encryption key cannot be reached',
    registers: [registry],
    collect() {
      this.set(isSealed() ? 1 : 0);
    },
  });
}

function exposeSelfTests(registry: Registry, runtime: Runtime): void {
  new Gauge({
    name: 'gatehouse_self_test_warm',
    help: '1 for each thread that has computed its known answers and compiled its code with typical messages',
    labelNames: ['actor', 'key'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [actor, key, { isWarm }] of runtime.selfTests()) this.set({ actor, key }, isWarm ? 1 : 0);
    },
  });
  new Gauge({
    name: 'gatehouse_self_test_answers',
    help: 'Known answers of the algorithms in each thread: right, wrong, or left to be computed',
    labelNames: ['actor', 'key', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [actor, key, selfTest] of runtime.selfTests())
        for (const outcome of ['right', 'wrong', 'left'] as const) this.set({ actor, key, outcome }, selfTest[outcome]);
    },
  });
  new Gauge({
    name: 'gatehouse_self_test_off',
    help: '1 for each algorithm that is switched off in a thread, because its self-test has failed',
    labelNames: ['actor', 'key', 'algorithm'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [actor, key, { off }] of runtime.selfTests()) for (const algorithm of off) this.set({ actor, key, algorithm }, 1);
    },
  });
}
