// Reports the results of a benchmark: prints a table, stores a line of JSON in bench/results, and sets an exit status other than 0 if a limit fails.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

export type Row = Readonly<Record<string, string | number>>;

export interface Limit {
  readonly limit: string;
  readonly value: number;
  readonly holds: boolean;
}

/** Exit status of a benchmark with a failed limit. Status 1 means that the benchmark itself failed. */
export const LIMIT_FAILED = 3;

/** @param name of the benchmark and of its result file @param limits limits and whether they hold @param results folder of the result files */
export function report(name: string, rows: readonly Row[], limits: readonly Limit[], results = new URL('./results/', import.meta.url)): void {
  const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version, platform: `${process.platform} ${process.arch}` };
  console.log(`\n${name} on ${machine.cores} x ${machine.cpu}, Node ${machine.node}\n`);
  table(rows);
  for (const { limit, value, holds } of limits) console.log(`${holds ? 'holds ' : 'FAILS '} ${limit}: ${value}`);
  const line = JSON.stringify({ name, at: new Date().toISOString(), machine, rows, limits });
  writeFileSync(new URL(`${name}.json`, results), `${line}\n`);
  console.log(line);
  // Set on exit, so that `process.exit(0)` in a benchmark does not hide it. A value that could not be measured counts as failed.
  const hasFailed = limits.some(({ holds, value }) => !holds || !Number.isFinite(value));
  if (hasFailed)
    process.on('exit', (status) => {
      process.exitCode = status || LIMIT_FAILED;
    });
}

function table(rows: readonly Row[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const width = (column: string) => Math.max(column.length, ...rows.map((row) => String(row[column] ?? '').length));
  const line = (cells: readonly (string | number)[]) => columns.map((column, index) => String(cells[index] ?? '').padEnd(width(column))).join('  ');
  console.log(line(columns));
  for (const row of rows) console.log(line(columns.map((column) => row[column] ?? '')));
  console.log('');
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** @returns the value that the given part of all values does not exceed */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
