// What a model has computed of a batch while it is written, with a place for each hypothesis of its rows; the interface that both shapes of models have.

export interface State {
  /** Tokens of each place so far; 0 before the first step. */
  readonly steps: number;
  /** Reads the inputs. */
  begin(): Promise<void>;
  /** Computes one token further. @param tokens the last one of each place @returns for each place the scores of all tokens */
  step(tokens: readonly number[]): Promise<readonly Float32Array[]>;
  /**
   * From now on each place goes on with what was computed for the one that is named for it.
   * @param isWithinRows whether each row has as many places as before, and only they change places
   */
  keep(places: readonly number[], isWithinRows: boolean): void;
  /** Whether another can be appended as it is; it is not yet as far otherwise. */
  canTake(other: State): boolean;
  /** Appends the places of another. */
  take(other: State): void;
}
