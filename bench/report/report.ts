// Reports the results of a question: prints a table, stores them in bench/results, and sets an exit status other than 0 if a limit fails.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseOptions } from '../options.ts';
import { type Chart, svgOf } from './chart.ts';
import { type Limit, type Machine, merged, type Row, readResults, withChange, writeResults } from './results-file.ts';

export type { Limit, Row } from './results-file.ts';

/** Exit status of a question with a failed limit. Status 1 means that the question itself failed. */
export const LIMIT_FAILED = 3;

/**
 * @param name of the question and of its result file @param limits limits and whether they hold
 * @param charts by the name of the file, without its ending, drawn from all rows of the results file
 */
export function report(
  name: string,
  rows: readonly Row[],
  limits: readonly Limit[],
  charts: (rows: readonly Row[]) => Readonly<Record<string, Chart>> = () => ({}),
): void {
  const { results, isJson } = parseOptions(process.argv.slice(2));
  const machine: Machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version, platform: `${process.platform} ${process.arch}` };
  const last = readResults(results, name);
  const current = { name, at: new Date().toISOString(), machine, rows, limits };
  const told = withChange(rows, last, machine);
  const kept = merged(last, current);
  writeResults(results, kept);
  for (const [file, chart] of Object.entries(charts(kept.rows))) writeFileSync(join(results, `${file}.svg`), svgOf(chart));
  if (isJson) console.log(JSON.stringify({ ...current, rows: told }));
  else print(name, machine, told, limits);
  // Set on exit, so that `process.exit(0)` in a question does not hide it. A value that could not be measured counts as failed.
  const hasFailed = limits.some(({ holds, value }) => !holds || !Number.isFinite(value));
  if (hasFailed)
    process.on('exit', (status) => {
      process.exitCode = status || LIMIT_FAILED;
    });
}

function print(name: string, { cores, cpu, node }: Machine, rows: readonly Row[], limits: readonly Limit[]): void {
  console.log(`\n${name} on ${cores} x ${cpu}, Node ${node}\n`);
  table(rows);
  for (const { limit, value, holds } of limits) console.log(`${holds ? 'holds ' : 'FAILS '} ${limit}: ${value}`);
}

function table(rows: readonly Row[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const width = (column: string) => Math.max(column.length, ...rows.map((row) => String(row[column] ?? '').length));
  const line = (cells: readonly (string | number)[]) => columns.map((column, index) => String(cells[index] ?? '').padEnd(width(column))).join('  ');
  console.log(line(columns));
  for (const row of rows) console.log(line(columns.map((column) => row[column] ?? '')));
  console.log('');
}

/** Tells how far a question has come, where it disturbs no JSON. */
export function progress(text: string): void {
  console.error(text);
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
