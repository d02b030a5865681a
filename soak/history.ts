// The history of one object: operations with the moments of their calls and answers, by one counter of the process that asks.
import type { Deed, Model } from './model.ts';

export interface Operation extends Deed {
  readonly client: string;
  readonly called: number;
  /** Infinity: there was no answer, so it may take effect at any later time, or never. */
  readonly answered: number;
}

let moment = 0;

export class History {
  readonly model: Model;
  /** Names the object in reports. It must not open anything. */
  readonly object: string;
  readonly operations: Operation[] = [];
  /** Operations that were called and not answered yet. */
  #open = 0;

  constructor(model: Model, object: string) {
    this.model = model;
    this.object = object;
  }

  get isQuiet(): boolean {
    return this.#open === 0;
  }

  /**
   * Runs an operation and notes it.
   * @param work answers the output, or undefined if it is not known whether it has happened
   */
  async run(client: string, name: string, work: () => Promise<Deed['output']>, input?: Deed['input']): Promise<Deed['output']> {
    const called = ++moment;
    this.#open += 1;
    try {
      const output = await work();
      const isRead = this.model.reads.has(name);
      if (output !== undefined || !isRead)
        this.operations.push({ client, name, input, output, called, answered: output === undefined ? Number.POSITIVE_INFINITY : ++moment });
      return output;
    } finally {
      this.#open -= 1;
    }
  }
}
