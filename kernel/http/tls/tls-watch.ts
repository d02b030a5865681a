// Watches the TLS files: changed ones are used without a restart, and /ready tells what is wrong with them.
import { stat } from 'node:fs/promises';
import type { TlsOptions } from 'node:tls';
import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../config/config-error.ts';
import { describe } from '../../fault.ts';
import type { Log } from '../../log/log-entry.ts';
import { repeat } from '../../repeat.ts';
import { readTls, type TlsFiles } from './tls.ts';
import { endingOf, endsOf, type TlsEnd } from './tls-ends.ts';

const WATCH_MS = 2_000;

type Apply = (tls: TlsOptions) => Promise<void> | void;

export class TlsWatch {
  readonly #files: TlsFiles;
  readonly #log: Pick<Log, 'info' | 'error'>;
  /** Of the files when they were last read. */
  #state: string;
  #unusable: string | undefined;
  #ends: readonly TlsEnd[];
  /** What was read first. */
  readonly tls: TlsOptions;

  private constructor(files: TlsFiles, log: Pick<Log, 'info' | 'error'>, state: string) {
    this.#files = files;
    this.#log = log;
    this.#state = state;
    this.tls = readTls(files);
    this.#ends = endsOf(this.tls);
  }

  /** Reads the files. @throws ConfigError naming each file that cannot be used */
  static async of(files: TlsFiles, log: Pick<Log, 'info' | 'error'>): Promise<TlsWatch> {
    return new TlsWatch(files, log, await stateOf(files));
  }

  /**
   * From now on changed files are read, also those that have changed since the first reading: a start may take minutes, as where it waits for the database.
   * If they do not fit together, the old ones stay in use, and they are tried again: what is wrong may be another thing than the files.
   * @param apply gets the new options; settles when all ports use them
   */
  async start(clock: Clock, apply: Apply): Promise<() => void> {
    await this.#look(apply);
    return repeat(
      clock,
      WATCH_MS,
      () => this.#look(apply),
      (error) => this.#fail(error),
    );
  }

  get ends(): readonly TlsEnd[] {
    return this.#ends;
  }

  /** What is wrong although the server serves. */
  degraded(now: number): readonly string[] {
    const ending = endingOf(this.#ends, now);
    return this.#unusable === undefined ? ending : [`TLS files: the changed ones cannot be used, and the old ones stay in use: ${this.#unusable}`, ...ending];
  }

  async #look(apply: Apply): Promise<void> {
    const state = await stateOf(this.#files);
    if (state === this.#state && this.#unusable === undefined) return;
    this.#state = state;
    try {
      const tls = readTls(this.#files);
      await apply(tls);
      this.#ends = endsOf(tls);
      this.#unusable = undefined;
      this.#log.info({}, 'TLS files reloaded');
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const why = error instanceof ConfigError ? error.problems.join('; ') : String((error as Error).message);
    if (why !== this.#unusable) this.#log.error({ error: describe(error) }, 'the changed TLS files cannot be used; the old ones stay in use');
    this.#unusable = why;
  }
}

/** What changes when one of the files does. */
async function stateOf(files: TlsFiles): Promise<string> {
  const paths = Object.values(files).filter((path) => path !== undefined);
  const stats = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return stats.map((each) => `${each?.ino} ${each?.size} ${each?.mtimeNs}`).join();
}
