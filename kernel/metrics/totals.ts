// Adds up the metrics of all threads that serve requests, also of those that have ended, so that no counter ever falls.
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client';

/** The metrics of one thread as prom-client exports them: plain data. */
export type Figures = readonly MetricObject[];

/** Only these go on counting what a thread did before it ended. */
const LASTING: ReadonlySet<string> = new Set(['counter', 'histogram']);

export class Totals {
  /** What each thread said last. */
  readonly #last = new Map<number, Figures>();
  /** The sums of threads that have ended. */
  #ended: Figures = [];

  note(thread: number, figures: Figures): void {
    this.#last.set(thread, figures);
  }

  /** The thread has ended: what it counted until it was last asked stays counted. */
  async end(thread: number): Promise<void> {
    const lasting = (this.#last.get(thread) ?? []).filter(({ type }) => LASTING.has(String(type)));
    this.#last.delete(thread);
    this.#ended = (await addUp([this.#ended, lasting]).getMetricsAsJSON()) as unknown as Figures;
  }

  /** @param own the figures of this thread @returns the sums of all in the text format of Prometheus */
  async text(own: Figures): Promise<string> {
    return addUp([own, this.#ended, ...this.#last.values()]).metrics();
  }
}

function addUp(parts: readonly Figures[]): Registry {
  return AggregatorRegistry.aggregate(parts.map((figures) => [...figures]) as never) as unknown as Registry;
}

export async function figuresOf(registry: Registry): Promise<Figures> {
  return (await registry.getMetricsAsJSON()) as unknown as Figures;
}
