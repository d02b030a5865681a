// Metrics of language models: requests by outcome and their time, loads, evictions, crashes and memory, asked of the model actor at every scrape.
import { Counter, Gauge } from 'prom-client';
import type { ModelApi, ModelStatus } from '../../actors/model/api.ts';
import type { PinnedRef } from '../../kernel/actor.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';

/** No scrape waits longer, in milliseconds: then the last figures stay. */
const ANSWER_MS = 500;
const MIB = 1_048_576;

/** Values of one metric, each with the labels beside the model's. */
type Values = (model: ModelStatus) => readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

interface ModelMetric {
  readonly kind: typeof Counter | typeof Gauge;
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly values: Values;
}

const one =
  (value: (model: ModelStatus) => number): Values =>
  (model) => [[{}, value(model)]];

const METRICS: readonly ModelMetric[] = [
  {
    kind: Counter,
    name: 'requests_total',
    help: 'Requests to models by outcome: ok, or the code of a fault',
    labels: ['outcome'],
    values: ({ figures }) => Object.entries(figures.requests).map(([outcome, count]) => [{ outcome }, count]),
  },
  { kind: Counter, name: 'request_seconds_total', help: 'Time from request to answer, with turn and loading', values: one(({ figures }) => figures.seconds) },
  { kind: Counter, name: 'loads_total', help: 'Loads of models', values: one(({ figures }) => figures.loads) },
  { kind: Counter, name: 'evictions_total', help: 'Models that were unloaded for others', values: one(({ figures }) => figures.evictions) },
  { kind: Counter, name: 'crashes_total', help: 'Processes of models that ended by themselves', values: one(({ figures }) => figures.crashes) },
  { kind: Gauge, name: 'memory_bytes', help: 'Memory of the processes of models', values: one(({ memoryMb }) => memoryMb * MIB) },
  { kind: Gauge, name: 'requests', help: 'Requests that wait or run now', values: one(({ requests }) => requests) },
  { kind: Gauge, name: 'ready', help: 'Whether the model is loaded', values: one(({ state }) => Number(state === 'ready')) },
];

export function exposeModels({ registry }: Metrics, models: PinnedRef<ModelApi>): void {
  if (models.keys().length === 0) return;
  const latest = asking(models);
  for (const { kind: Kind, name, help, labels = [], values } of METRICS)
    new Kind({
      name: `gatehouse_model_${name}`,
      help,
      labelNames: ['model', ...labels],
      registers: [registry],
      async collect() {
        const all = await latest();
        this.reset();
        for (const model of all) for (const [more, value] of values(model)) this.inc({ model: model.id, ...more }, value);
      },
    });
}

/** All metrics of one scrape are of one answer. @returns the figures now, or the last ones if there is no answer in time */
function asking(models: PinnedRef<ModelApi>): () => Promise<readonly ModelStatus[]> {
  let last: readonly ModelStatus[] = [];
  let answer: Promise<readonly ModelStatus[]> | undefined;
  const ask = async () => {
    last = await callWith(models.at('main'), { deadlineMs: ANSWER_MS })
      .list()
      .catch(() => last);
    answer = undefined;
    return last;
  };
  return () => (answer ??= ask());
}
