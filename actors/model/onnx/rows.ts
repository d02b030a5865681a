// The rows of generating models that wait, of all requests, and which of them write together.
import { Fault } from '../../../kernel/fault.ts';
import type { Search } from './search.ts';

/** Tokens of the inputs of a batch, with padding. */
const MAX_TOKENS = 4_096;

export interface Row {
  readonly ids: readonly number[];
  search: Search;
  readonly signal: AbortSignal | undefined;
  /** Whether it has waited for others to join its batch: nobody waits for more. */
  hasWaited: boolean;
  /** Whether it has begun with others, and the model could not take one of them: it begins alone then. */
  isAlone: boolean;
  /** Whether it has written with others, and the model could not go on with one of them: it writes all of its text by itself then. */
  isApart: boolean;
  /** Whether it has a token. */
  hasWritten: boolean;
  /** Whether it has ended, or its client has left. */
  isDone: boolean;
  /** After each token. */
  onToken?: (() => void) | undefined;
  /** @returns a search that has written nothing */
  fresh(): Search;
  resolve(): void;
  reject(error: unknown): void;
}

/** Drops rows whose clients have left. */
export function dropLeft(waiting: Row[]): void {
  for (const row of waiting.filter(({ signal }) => signal?.aborted)) {
    waiting.splice(waiting.indexOf(row), 1);
    row.reject(new Fault('CANCELLED'));
  }
}

/**
 * Takes the rows of the next batch: the one that waits longest leads, and those of like length go with it. Rows whose clients have left are dropped.
 * @param begun rows that are written already, and that others may join @param maxRows of the batch @returns the rows that were taken
 */
export function takeRows(waiting: Row[], begun: readonly Row[], maxRows: number): Row[] {
  dropLeft(waiting);
  const [first] = begun.length > 0 ? begun : waiting;
  if (!first) return [];
  const distance = ({ ids }: Row) => Math.abs(ids.length - first.ids.length);
  const batch = begun.length > 0 ? [...begun] : [first];
  const others = waiting.filter((each) => each !== first && !first.isApart && !each.isApart).sort((a, b) => distance(a) - distance(b));
  for (const row of beginners(others, begun.length > 0 ? undefined : first)) {
    const width = Math.max(...batch.map(({ ids }) => ids.length), row.ids.length);
    if (batch.length >= maxRows || width * (batch.length + 1) > MAX_TOKENS) break;
    batch.push(row);
  }
  const taken = batch.slice(begun.length);
  for (const row of taken) waiting.splice(waiting.indexOf(row), 1);
  return taken;
}

/** @param first of a batch that begins @returns those of the rows that may begin with it, or with each other */
function beginners(rows: readonly Row[], first: Row | undefined): readonly Row[] {
  if (first) return first.isAlone ? [] : rows.filter(({ isAlone }) => !isAlone);
  const alone = rows.find(({ isAlone }) => isAlone);
  return alone ? [alone] : rows;
}
