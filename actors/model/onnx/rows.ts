// The rows of generating models that wait, of all requests, and which of them write together.
import { Fault } from '../../../kernel/fault.ts';

/** Rows that write together, of all requests; more would delay those that wait. */
const MAX_ROWS = 16;
/** Tokens of the inputs of a batch, with padding. */
const MAX_TOKENS = 4_096;

export interface Row {
  readonly ids: readonly number[];
  readonly maxTokens: number;
  readonly signal: AbortSignal | undefined;
  /** In a batch that has begun again these are written before, and are not chosen again. */
  readonly written: number[];
  /** Whether its batch has begun again once: nobody waits for more. */
  hasBegunAgain: boolean;
  isDone: boolean;
  isCut: boolean;
  /** After each token. */
  onToken?: (() => void) | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Takes the rows of the next batch: the one that waits longest leads, and those of like length go with it. Rows whose clients have left are dropped.
 * @param begun rows that are written already, and that others may join @returns all rows of the batch
 */
export function takeBatch(waiting: Row[], begun: readonly Row[] = []): Row[] {
  for (const row of waiting.filter(({ signal }) => signal?.aborted)) {
    waiting.splice(waiting.indexOf(row), 1);
    row.reject(new Fault('CANCELLED'));
  }
  const [first] = begun.length > 0 ? begun : waiting;
  if (!first) return [];
  const distance = ({ ids }: Row) => Math.abs(ids.length - first.ids.length);
  const batch = begun.length > 0 ? [...begun] : [first];
  for (const row of waiting.filter((each) => each !== first).sort((a, b) => distance(a) - distance(b))) {
    const width = Math.max(...batch.map(({ ids }) => ids.length), row.ids.length);
    if (batch.length >= MAX_ROWS || width * (batch.length + 1) > MAX_TOKENS) break;
    batch.push(row);
  }
  for (const row of batch.slice(begun.length)) waiting.splice(waiting.indexOf(row), 1);
  return batch;
}
