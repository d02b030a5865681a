// Undoes steps in reverse order: used to stop the server, and to clean up after a failed start.
import { describe } from './fault.ts';
import type { Log } from './log/log-entry.ts';

export class Unwind {
  readonly #steps: { readonly what: string; readonly undo: () => Promise<void> | void }[] = [];

  /** `undo` runs once, after those of the steps added later. */
  add(what: string, undo: () => Promise<void> | void): void {
    this.#steps.push({ what, undo });
  }

  /** Runs all steps, even if some fail. */
  async run(log: Log): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step.undo();
      } catch (error) {
        log.error({ step: step.what, error: describe(error) }, 'a step of the stop failed');
      }
    }
  }
}
