// One batch while it is written: rows that have ended are taken out of it, and others that have come late may be taken in.
import { Fault } from '../../../kernel/fault.ts';
import type { Row } from './rows.ts';
import type { State } from './state.ts';

/** Places are given up when so many of them belong to rows that have ended: that copies what the others have computed. */
const MIN_ENDED_SHARE = 0.25;

export class Writing {
  readonly state: State;
  readonly #padding: number;
  #rows: readonly Row[];
  /** Of each row. */
  #places: readonly number[];

  /** @param padding the token that places get whose rows have ended */
  constructor(state: State, rows: readonly Row[], padding: number) {
    this.state = state;
    this.#rows = [...rows];
    this.#places = rows.map(() => 1);
    this.#padding = padding;
  }

  /** Those that have not ended. */
  get open(): readonly Row[] {
    return this.#rows.filter(({ isDone }) => !isDone);
  }

  /** Writes one token to each hypothesis of each row that has not ended. */
  async step(): Promise<void> {
    const tokens = this.#rows.flatMap(({ isDone, search }, row) => (isDone ? Array<number>(this.#places[row] as number).fill(this.#padding) : search.last));
    const scores = await this.state.step(tokens);
    let place = 0;
    const kept = this.#rows.map((row, index) => {
      const from = place;
      const count = this.#places[index] as number;
      place += count;
      const places = Array.from({ length: count }, (_, at) => from + at);
      if (row.isDone || left(row)) return places;
      const next = advanced(row, scores.slice(from, place)).map((at) => from + at);
      return row.isDone ? places : next;
    });
    this.#keep(kept, place);
  }

  /** Ends rows whose clients have left. */
  dropLeft(): void {
    for (const row of this.#rows) if (!row.isDone) left(row);
  }

  /** Takes in another that is as far. */
  take(other: Writing): void {
    this.state.take(other.state);
    this.#rows = [...this.#rows, ...other.#rows];
    this.#places = [...this.#places, ...other.#places];
  }

  /** @param kept for each row the places that its hypotheses go on @param total places so far */
  #keep(kept: readonly (readonly number[])[], total: number): void {
    const ended = this.#rows.reduce((sum, { isDone }, row) => sum + (isDone ? (this.#places[row] as number) : 0), 0);
    if (ended === total) return;
    const isReordered = kept.some((places, row) => places.length !== this.#places[row]) || kept.flat().some((from, place) => from !== place);
    if (!isReordered && ended < MIN_ENDED_SHARE * total) return;
    const isWithinRows = ended === 0 && kept.every(({ length }, row) => length === this.#places[row]);
    const stays = this.#rows.map(({ isDone }) => !isDone);
    const places = kept.filter((_, row) => stays[row]);
    this.#rows = this.open;
    this.#places = places.map(({ length }) => length);
    this.state.keep(places.flat(), isWithinRows);
  }
}

function left(row: Row): boolean {
  if (!row.signal?.aborted) return false;
  row.isDone = true;
  row.reject(new Fault('CANCELLED'));
  return true;
}

/** @returns for each hypothesis from now on the one that it goes on; a row that cannot go on fails alone */
function advanced(row: Row, scores: readonly Float32Array[]): readonly number[] {
  try {
    row.hasWritten = true;
    const next = row.search.advance(scores);
    tell(row);
    return next;
  } catch (error) {
    row.isDone = true;
    row.reject(error);
    return [];
  }
}

function tell(row: Row): void {
  row.isDone = row.search.isDone;
  row.onToken?.();
  // Its client need not wait for the others.
  if (row.isDone) row.resolve();
}
