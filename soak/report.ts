// The report of a run: a table of what clients asked for, the faults with what shows them, and every promise; the same as a results file.
import { cpus } from 'node:os';
import type { Row } from '../bench/report/results-file.ts';
import { writeResults } from '../bench/report/results-file.ts';
import type { SoakOptions } from './options.ts';
import type { Growth } from './steadiness.ts';
import type { Storm } from './storm.ts';
import { PROMISES, type Tally } from './tally.ts';
import type { Verdict } from './verdict.ts';

export interface Run {
  readonly options: SoakOptions;
  readonly storm: Storm;
  readonly verdict: Verdict;
  readonly growth: readonly Growth[];
  readonly tally: Tally;
  readonly seconds: number;
}

/** @returns whether every promise was kept */
export function report(run: Run): boolean {
  const { options, storm, tally, growth } = run;
  for (const { node, what, early, late, isFlat } of growth) {
    if (isFlat === false) tally.wrong('memory, handles and threads are flat', `${what} of ${node} went from ${early} to ${late}`);
  }
  const limits = PROMISES.map((promise) => ({ limit: promise, value: tally.broken(promise).count, holds: tally.broken(promise).count === 0 }));
  const isKept = limits.every(({ holds }) => holds);
  const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version, platform: `${process.platform} ${process.arch}` };
  const name = options.store === 'sqlite' ? 'soak' : `soak-${options.store}`;
  const { minutes, seed, store } = options;
  const told = { minutes, seed, store, happened: storm.happened, skipped: storm.skipped, growth };
  if (options.results !== '') writeResults(options.results, { name, at: new Date().toISOString(), machine, rows: rowsOf(run), limits, ...told } as never);
  if (!options.isQuiet || !isKept) print(run);
  for (const { limit, holds } of limits) {
    const { count, told: wrong } = tally.broken(limit);
    if (!holds || !options.isQuiet) console.log(`${holds ? 'holds' : 'BROKEN'}  ${limit}${holds ? '' : ` (${count} times)`}`);
    for (const line of wrong) console.log(`  ${line}`);
  }
  console.log(`soak: ${isKept ? 'every promise was kept' : 'A PROMISE WAS BROKEN'}: ${summaryOf(run)}`);
  return isKept;
}

function summaryOf({ options, storm, tally, verdict, seconds }: Run): string {
  const histories = Object.values(verdict.histories).reduce((sum, { count }) => sum + count, 0);
  const kinds = new Set(storm.happened.map(({ fault }) => fault)).size;
  return `${options.store}, ${seconds} s, seed ${options.seed}: ${tally.answered} answers (${tally.late} that the work took longer than its limit), ${histories} histories, ${verdict.kept} writes looked at again, ${storm.happened.length} faults of ${kinds} kinds`;
}

function rowsOf({ tally, verdict }: Run): Row[] {
  const asked = [...tally.counts]
    .sort()
    .map(([what, { answered, unanswered, ms }]) => ({ what, answered, unanswered, ms: Math.round((10 * ms) / Math.max(1, answered)) / 10 }));
  const histories = Object.entries(verdict.histories).map(([kind, { count, operations, unanswered }]) => ({
    what: `histories: ${kind}`,
    histories: count,
    answered: operations - unanswered,
    unanswered,
  }));
  return [...asked, ...histories];
}

function print(run: Run): void {
  const rows = rowsOf(run);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const width = (column: string) => Math.max(column.length, ...rows.map((row) => String(row[column] ?? '').length));
  const line = (cells: readonly (string | number)[]) => columns.map((column, at) => String(cells[at] ?? '').padEnd(width(column))).join('  ');
  console.log(['', line(columns), ...rows.map((row) => line(columns.map((column) => row[column] ?? ''))), ''].join('\n'));
  for (const { node, what, early, late, isFlat } of run.growth)
    console.log(
      isFlat === undefined ? `${node} ${what}: the run was too short to tell` : `${node} ${what}: ${early} earlier, ${late} later in the second half`,
    );
  for (const [fault, why] of Object.entries(run.storm.skipped)) console.log(`skipped: ${fault}: ${why}`);
}
