// Metrics whose values are read anew at every scrape.
import { Counter, Gauge, type Registry } from 'prom-client';

interface Values {
  reset(): void;
}

const reading = <L extends string, M extends Values>(registry: Registry, name: string, help: string, labelNames: readonly L[], read: (metric: M) => void) => ({
  ...{ name, help, labelNames: [...labelNames], registers: [registry] },
  collect(this: M) {
    this.reset();
    read(this);
  },
});

export function counter<L extends string>(registry: Registry, name: string, help: string, labelNames: readonly L[], read: (counter: Counter<L>) => void): void {
  new Counter<L>(reading<L, Counter<L>>(registry, name, help, labelNames, read));
}

export function gauge<L extends string>(registry: Registry, name: string, help: string, labelNames: readonly L[], read: (gauge: Gauge<L>) => void): void {
  new Gauge<L>(reading<L, Gauge<L>>(registry, name, help, labelNames, read));
}
