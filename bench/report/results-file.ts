// The results file of a question: rows that were measured again replace the old ones, and tell how much they have changed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Row = Readonly<Record<string, string | number>>;

export interface Limit {
  readonly limit: string;
  readonly value: number;
  readonly holds: boolean;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly platform: string;
}

export interface Results {
  readonly name: string;
  readonly at: string;
  readonly machine: Machine;
  readonly rows: readonly Row[];
  readonly limits: readonly Limit[];
}

/** Columns whose change is told; the first that a row has counts. */
const COMPARED = ['requests/s', 'ms', 'MB'] as const;

/** @returns undefined if there is none, or it cannot be read */
export function readResults(folder: string, name: string): Results | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Results;
  } catch {
    return undefined;
  }
}

export function writeResults(folder: string, results: Results): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${results.name}.json`), `${JSON.stringify(results)}\n`);
}

/** What a row measures; undefined for a row that has no name and so cannot be found again. */
function identityOf({ what, connections = '' }: Row): string | undefined {
  return what === undefined ? undefined : `${what} ${connections}`;
}

/** @returns the rows with a column `change`, relative to the last results of the same machine: `+12 %` */
export function withChange(rows: readonly Row[], last: Results | undefined, machine: Machine): Row[] {
  const known = new Map((last && isSame(last.machine, machine) ? last.rows : []).map((row) => [identityOf(row), row]));
  return rows.map((row) => {
    const before = identityOf(row) === undefined ? undefined : known.get(identityOf(row));
    const column = COMPARED.find((each) => typeof row[each] === 'number');
    if (before === undefined || column === undefined || typeof before[column] !== 'number' || before[column] === 0) return row;
    const percent = Math.round(((row[column] as number) / before[column] - 1) * 100);
    return { ...row, change: `${percent > 0 ? '+' : ''}${percent} %` };
  });
}

/** Keeps what this run has not measured, if it was measured on the same machine. */
export function merged(last: Results | undefined, current: Results): Results {
  if (last === undefined || !isSame(last.machine, current.machine)) return current;
  const measured = new Set(current.rows.map(identityOf));
  // Rows without a name belong together: they are replaced as one.
  const rows = measured.has(undefined) ? [] : last.rows.filter((row) => identityOf(row) !== undefined && !measured.has(identityOf(row)));
  const checked = new Set(current.limits.map(({ limit }) => limit));
  const limits = measured.has(undefined) ? [] : last.limits.filter(({ limit }) => !checked.has(limit));
  return { ...current, rows: [...rows, ...current.rows], limits: [...limits, ...current.limits] };
}

function isSame(one: Machine, other: Machine): boolean {
  return one.cpu === other.cpu && one.cores === other.cores && one.platform === other.platform;
}
