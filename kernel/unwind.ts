// Undoes what has been done, in reverse: how a server stops, and how a boot that fails half-way leaves nothing behind.
import { describe } from './fault.ts';
import type { Log } from './log-entry.ts';

export class Unwind {
  readonly #steps: { readonly what: string; readonly undo: () => Promise<void> | void }[] = [];

  /** `undo` runs once, after the steps added later. */
  add(what: string, undo: () => Promise<void> | void): void {
    this.#steps.push({ what, undo });
  }

  /** Goes through to the end whatever fails on the way. */
  async run(log: Log): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step.undo();
      } catch (error) {
        log.error({ step: step.what, error: describe(error) }, 'stopping failed');
      }
    }
  }
}
