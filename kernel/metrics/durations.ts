// A histogram of durations whose rows are found by texts that exist already: prom-client would copy, check and join the labels of every request.
import type { Metric, Registry } from 'prom-client';

interface Row {
  readonly labels: Readonly<Record<string, string>>;
  readonly method: string;
  readonly status: number;
  /** How many took at most so long, but longer than the bucket before; the last bucket has no limit. */
  readonly buckets: number[];
  sum: number;
}

export class Durations {
  readonly #name: string;
  readonly #seconds: readonly number[];
  readonly #byRoute = new Map<string, Row[]>();

  /** @param seconds upper bounds of the buckets, ascending @param registry the histogram is registered there like one of prom-client */
  constructor(registry: Registry, name: string, help: string, seconds: readonly number[]) {
    this.#name = name;
    this.#seconds = seconds;
    const described = { name, help, type: 'histogram', aggregator: 'sum' };
    registry.registerMetric({ ...described, get: async () => ({ ...described, values: this.#values() }) } as unknown as Metric);
  }

  observe(method: string, route: string, status: number, seconds: number): void {
    const row = this.#rowOf(method, route, status);
    let bucket = 0;
    while (bucket < this.#seconds.length && seconds > (this.#seconds[bucket] as number)) bucket += 1;
    row.buckets[bucket] = (row.buckets[bucket] as number) + 1;
    row.sum += seconds;
  }

  #rowOf(method: string, route: string, status: number): Row {
    const rows = this.#byRoute.get(route) ?? [];
    for (const row of rows) if (row.status === status && row.method === method) return row;
    const row = { labels: { method, route, status: String(status) }, method, status, buckets: new Array(this.#seconds.length + 1).fill(0), sum: 0 };
    this.#byRoute.set(route, [...rows, row]);
    return row;
  }

  /** In the order and form of prom-client. */
  #values() {
    const name = this.#name;
    return [...this.#byRoute.values()].flat().flatMap(({ labels, buckets, sum }) => {
      let count = 0;
      const upTo = buckets.map((own, index) => {
        count += own;
        return { metricName: `${name}_bucket`, labels: { le: this.#seconds[index] ?? '+Inf', ...labels }, value: count };
      });
      return [...upTo, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: count }];
    });
  }
}
