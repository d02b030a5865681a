// Runs what was submitted, one batch at a time in each thread: requests that are answered at once never have more than one of them before them.
import { describe } from '../../../kernel/fault.ts';
import type { KeyServer } from '../server.ts';
import { claimNext } from './claim.ts';
import { runClaimed } from './run.ts';

export class AsynchronousWorker {
  readonly #server: KeyServer;
  #running: Promise<void> | undefined;
  #again = false;
  #isStopping = false;

  constructor(server: KeyServer) {
    this.#server = server;
  }

  /** Something was submitted, or may be left. The work goes on after this call. */
  wake(): void {
    this.#again = true;
    if (this.#isStopping) return;
    this.#running ??= this.#server.asynchronous.apart(undefined, () => this.#runAll());
  }

  /** Settles after the item that runs. What is left of its batch stays stored, for the next start or another node. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #runAll(): Promise<void> {
    try {
      let last = '';
      const isStopping = () => this.#isStopping;
      while (this.#again && !this.#isStopping) {
        this.#again = false;
        for (let claim = await claimNext(this.#server, last); claim; claim = this.#isStopping ? undefined : await claimNext(this.#server, last)) {
          last = claim.owner;
          await runClaimed(this.#server, claim, { endsBefore: isStopping, isStopping });
        }
      }
    } catch (error) {
      this.#server.log.warn({ error: describe(error) }, 'asynchronous requests could not be run; the server will try again');
    } finally {
      this.#running = undefined;
    }
  }
}
