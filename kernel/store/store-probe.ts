// Tries every two seconds whether the store can be written, so that /ready tells of a failed disk or database before requests meet it.
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import { diskTrouble } from '../disk/disk-trouble.ts';
import { giveToOwnerOf } from '../disk/private-file.ts';
import type { Log } from '../log/log-entry.ts';
import { repeat } from '../repeat.ts';
import { LastRun } from './last-run.ts';
import { LogWatch, OTHER_DATABASE, OTHER_LOG } from './sqlite-files.ts';
import { databaseFile } from './store-url.ts';

const EVERY_MS = 2_000;
/** Between the clocks of this machine and of the database. Nodes whose clocks differ end the sessions and tokens of each other too early or too late. */
const DIFFERENCE_MS = 10_000;
/** An answer that takes longer is none. */
const ANSWER_MS = 2_000;

export interface ClockOfStore {
  /** What the clock of this machine is compared with, after `ahead of` and `behind`. */
  readonly of: string;
  /** What to do where they differ. */
  readonly advice: string;
}

export interface Attempts {
  /** Where the time comes from that an attempt tells. */
  readonly clock: ClockOfStore;
  /** @returns what time it is, milliseconds since the epoch, as far as the store knows @throws Error that says why the store cannot be written */
  attempt(): Promise<number | undefined>;
  close(): Promise<void>;
}

export class StoreProbe {
  readonly #attempts: Promise<Attempts>;
  readonly #rest: () => void;
  readonly #log: Pick<Log, 'error' | 'warn' | 'info'>;
  readonly #wallMs: () => number;
  #problem: string | undefined;
  #clockDifference: string | undefined;
  #running: Promise<void> | undefined;

  /** @param url `sqlite:<absolute path>` or `postgres://...` @param wallMs the clock of this machine, which tests of other things do not move */
  constructor(url: string, clock: Clock, log: Pick<Log, 'error' | 'warn' | 'info'>, wallMs = () => Date.now()) {
    this.#log = log;
    this.#wallMs = wallMs;
    this.#attempts = attemptsAt(url, wallMs);
    this.#rest = repeat(
      clock,
      EVERY_MS,
      () => this.#look(),
      () => {},
    );
  }

  /** Why the store could not be written at the last attempt. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** By how much the clock of this machine differed from that of the store at the last attempt, if it was too much. */
  get clockDifference(): string | undefined {
    return this.#clockDifference;
  }

  async close(): Promise<void> {
    this.#rest();
    await (await this.#attempts).close();
  }

  /** An attempt that hangs is not joined by a second one. */
  async #look(): Promise<void> {
    this.#running ??= this.#attempts
      .then(async (attempts) => ({ now: await attempts.attempt(), clock: attempts.clock }))
      .then(
        ({ now, clock }) => {
          this.#tell(undefined);
          if (now !== undefined) this.#compare(now, clock);
        },
        (error: Error) => this.#tell(error.message),
      )
      .then(() => (this.#running = undefined));
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(late.resolve, ANSWER_MS, 'late');
    if ((await Promise.race([this.#running, late.promise])) === 'late') this.#tell(`the store did not answer within ${ANSWER_MS / 1000} s`);
    clearTimeout(timer);
  }

  /** The log has it once, and its end. */
  #tell(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem === undefined) this.#log.info({}, 'the store can be written again');
    else this.#log.error({ problem }, 'the store cannot be written');
  }

  /** An answer on its way, of two seconds at most, makes no difference. The log has it when it begins. */
  #compare(storeMs: number, { of, advice }: ClockOfStore): void {
    const ahead = this.#wallMs() - storeMs;
    const before = this.#clockDifference;
    const seconds = Math.round(Math.abs(ahead) / 1_000);
    this.#clockDifference = Math.abs(ahead) < DIFFERENCE_MS ? undefined : `it is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} ${of}: ${advice}`;
    if (before === undefined && this.#clockDifference !== undefined)
      this.#log.warn({ seconds: Math.round(ahead / 1_000) }, `the clock of this machine differs from ${of}`);
  }
}

async function attemptsAt(url: string, wallMs: () => number): Promise<Attempts> {
  const file = databaseFile(url);
  if (file !== undefined) return diskAttempts(file, wallMs);
  const { postgresAttempts } = await import('./postgres-probe.ts');
  return postgresAttempts(url, ANSWER_MS);
}

/** Only one that is behind: how long the server did not run, nobody knows. */
const LAST_RUN: ClockOfStore = {
  of: 'the time at which the server last ran',
  advice: 'set it right, and let the machine get its time from the network (NTP). If it is right, it was ahead then, and the next start says no more',
};

/**
 * Writes through the thread pool: a disk that hangs must not stop this thread. The file of the last attempt stays until the next one is written: on a full
 * disk it would always fit where the last one was.
 * @param path of the database file, which every thread opens by its name: threads that start later would have another one than those before
 */
function diskAttempts(path: string, wallMs: () => number): Attempts {
  const kept = join(dirname(path), 'probe');
  let first: string | undefined;
  const identity = () => stat(path).then(({ dev, ino }) => `${dev} ${ino}`, codeOf);
  const fresh = `${kept}.new`;
  const log = new LogWatch(path);
  const lastRun = new LastRun(kept, wallMs);
  return {
    clock: LAST_RUN,
    async attempt() {
      const least = await lastRun.leastMs();
      try {
        const file = await open(fresh, 'w', 0o600);
        try {
          // The umask may have removed bits that the owner needs.
          await file.chmod(0o600);
          giveToOwnerOf(dirname(path), file.fd);
          await file.write(lastRun.content());
          await file.datasync();
        } finally {
          await file.close();
        }
        await rename(fresh, kept);
      } catch (error) {
        await rm(fresh, { force: true }).catch(() => {});
        const trouble = diskTrouble(error);
        throw new Error(`the data folder cannot be written${trouble ? `: ${trouble}` : ` (${codeOf(error)})`}`);
      }
      const now = await identity();
      first ??= now;
      if (now !== first) throw new Error(OTHER_DATABASE);
      if (await log.isOther()) throw new Error(OTHER_LOG);
      return least === undefined ? undefined : Math.max(least, wallMs());
    },
    async close() {},
  };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
