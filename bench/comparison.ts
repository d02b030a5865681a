// Rows of a question that compares each operation of the server with its limit, and their charts.
import { connectionsOf, type Figures, type Subject } from './load/turns.ts';
import type { BenchOptions } from './options.ts';
import type { Chart } from './report/chart.ts';
import { round } from './report/report.ts';
import type { Row } from './report/results-file.ts';

export interface Compared {
  readonly subject: Subject;
  /** What the operation is compared with, by its name. */
  readonly limit?: { readonly name: string; readonly subject: Subject } | { readonly name: string; readonly perSecond: number } | undefined;
  /** Operations in one request. */
  readonly operations?: number;
}

/** The subjects to measure: the operations and, once each, what they are compared with. */
export function subjectsOf(compared: readonly Compared[]): Subject[] {
  return [...new Set(compared.flatMap(({ subject, limit }) => (limit && 'subject' in limit ? [subject, limit.subject] : [subject])))];
}

/** Leaves the operations that the options ask for. */
export function asked(compared: readonly Compared[], { only }: BenchOptions): Compared[] {
  return compared.filter(({ subject }) => only === undefined || subject.what.toLowerCase().includes(only.toLowerCase()));
}

export function comparisonRows(compared: readonly Compared[], figures: Figures, options: BenchOptions): Row[] {
  return compared.flatMap(({ subject, limit, operations = 1 }) =>
    connectionsOf(subject, options).flatMap((connections) => {
      const own = figures(subject.what, connections);
      if (!own) return [];
      const other = limit && 'subject' in limit ? figures(limit.subject.what, connections) : undefined;
      const perSecond = limit && 'perSecond' in limit ? limit.perSecond : other?.perSecond;
      return {
        ...{ what: subject.what, connections, 'requests/s': Math.round(own.perSecond), 'CPU us': Math.round(own.cpuUs) },
        ...{ 'p50 ms': round(own.p50Ms, 2), 'p99 ms': round(own.p99Ms, 2) },
        ...(operations > 1 && { 'operations/s': Math.round(own.perSecond * operations) }),
        ...(limit && {
          limit: limit.name,
          'limit/s': Math.round(perSecond ?? Number.NaN),
          'of its limit': round(own.perSecond / (perSecond ?? Number.NaN), 2),
        }),
        ...(other && { 'limit CPU us': Math.round(other.cpuUs), 'CPU of its limit': round(own.cpuUs / other.cpuUs, 2) }),
      };
    }),
  );
}

/** Requests per second and CPU time, each beside the limit. */
export function comparisonCharts(name: string): (rows: readonly Row[]) => Record<string, Chart> {
  return (rows) => {
    const names = rows.map(({ what, connections }) => `${what} (${connections})`);
    const column = (key: string) => rows.map((row) => (typeof row[key] === 'number' ? row[key] : null));
    const chart = (title: string, unit: string, own: string, limit: string): Chart => ({
      ...{ title: `${name}: ${title}`, unit, kind: 'bar', names },
      series: { gatehouse: column(own), 'its limit': column(limit) },
    });
    return {
      [`${name}-rate`]: chart('requests per second, by connections', 'requests/s', 'requests/s', 'limit/s'),
      [`${name}-cpu`]: chart('CPU of the server for each request', 'microseconds', 'CPU us', 'limit CPU us'),
    };
  };
}
