// A counter whose rows are found once: prom-client would check, join and look up the labels of every count.
import type { Metric, Registry } from 'prom-client';

/** One combination of labels. Whoever counts adds to `value`. */
export interface Count {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

export class Counts {
  readonly #labelNames: readonly string[];
  readonly #rows: Count[] = [];

  /** @param registry the counter is registered there like one of prom-client */
  constructor(registry: Registry, name: string, help: string, labelNames: readonly string[]) {
    this.#labelNames = labelNames;
    const described = { name, help, type: 'counter', aggregator: 'sum' };
    registry.registerMetric({ ...described, get: async () => ({ ...described, values: this.#rows }) } as unknown as Metric);
  }

  /** @param values one for each label, in their order @returns the row of these values, the same each time */
  row(...values: readonly string[]): Count {
    const known = this.#rows.find(({ labels }) => this.#labelNames.every((name, place) => labels[name] === values[place]));
    if (known) return known;
    const row = { labels: Object.fromEntries(this.#labelNames.map((name, place) => [name, values[place] ?? ''])), value: 0 };
    this.#rows.push(row);
    return row;
  }
}
