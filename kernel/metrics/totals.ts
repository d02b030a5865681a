// Adds up the metrics of all threads that serve requests, also of those that have ended, so that no counter ever falls.
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client';

/** The metrics of one thread as prom-client exports them: plain data. */
export type Figures = readonly MetricObject[];

/** Only these go on counting what a thread did before it ended. */
const LASTING: ReadonlySet<string> = new Set(['counter', 'histogram']);

export class Totals {
  /** What each thread said last. */
  readonly #last = new Map<number, Figures>();
  /** Of threads that have ended: their sums, and those that are not added up yet. */
  #ended: readonly Figures[] = [];

  note(thread: number, figures: Figures): void {
    this.#last.set(thread, figures);
  }

  /** The thread has ended: what it counted until it was last asked stays counted. */
  async end(thread: number): Promise<void> {
    const lasting = (this.#last.get(thread) ?? []).filter(({ type }) => LASTING.has(String(type)));
    this.#last.delete(thread);
    // At once: a scrape that comes while they are added up must not miss them.
    const parts = [...this.#ended, lasting];
    this.#ended = parts;
    const sums = await figuresOf(addUp(parts));
    // Another thread has ended meanwhile: its sums have these too.
    if (this.#ended === parts) this.#ended = [sums];
  }

  /** @param own the figures of this thread @returns the sums of all in the text format of Prometheus */
  async text(own: Figures): Promise<string> {
    return addUp([own, ...this.#ended, ...this.#last.values()]).metrics();
  }
}

function addUp(parts: readonly Figures[]): Registry {
  return AggregatorRegistry.aggregate(parts.map((figures) => [...figures]) as never) as unknown as Registry;
}

export async function figuresOf(registry: Registry): Promise<Figures> {
  return (await registry.getMetricsAsJSON()) as unknown as Figures;
}
