// Notices that the files of a SQLite database were moved, removed or replaced under the server: what it writes then nobody finds again.
import { statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { Fault } from '../fault.ts';

/** The write-ahead log, and its index in memory that all connections share. */
const LOG_FILES = ['-wal', '-shm'] as const;

const toldOf = (what: string, advice: string) => `${what} not the one that was opened, which was moved, removed or replaced: ${advice}`;
export const OTHER_DATABASE = toldOf('the database file is', 'put it back, or stop the server');
/** The last connection copies the log that it has open into the database file. */
export const OTHER_LOG = toldOf('the write-ahead log of the database (-wal, -shm) is', 'stop the server, which saves what it has when it ends');

/** What a connection has open. SQLite itself removes the log with the last connection only, so one that is open has the same log to its end. */
export class OpenedFiles {
  readonly #path: string;
  #first: readonly string[] | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** To be called in a transaction: then the log is there. @throws Fault UNAVAILABLE if one is not that of the first call */
  requireSame(): void {
    const now = ['', ...LOG_FILES].map((end) => identityOf(statSync(this.#path + end, { throwIfNoEntry: false })));
    this.#first ??= now;
    const other = now.findIndex((each, at) => each !== this.#first?.[at]);
    if (other >= 0) throw new Fault('UNAVAILABLE', { detail: other === 0 ? OTHER_DATABASE : OTHER_LOG });
  }
}

interface Place {
  readonly dev: number;
  readonly ino: number;
}

const identityOf = (place: Place | undefined): string => (place ? `${place.dev} ${place.ino}` : 'none');
const identityAt = (path: string): Promise<string> => stat(path).then(identityOf, () => identityOf(undefined));

const DESCRIPTORS = '/proc/self/fd';

/** Looks from outside of all connections of this process whether they have the log open that is there. Linux only: elsewhere nothing is ever wrong. */
export class LogWatch {
  readonly #path: string;
  /** Where each file was found open, so that others need not be looked at. */
  readonly #known = new Map<string, string>();
  /** A connection that opens or ends may have it half open for a moment. */
  #wasOther = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** @returns whether it was another one at the last look too */
  async isOther(): Promise<boolean> {
    const open = await Promise.all(LOG_FILES.map((end) => this.#isOpen(this.#path + end)));
    const isOther = open.includes(false) && (await this.#isOpen(this.#path));
    const before = this.#wasOther;
    this.#wasOther = isOther;
    return isOther && before;
  }

  async #isOpen(file: string): Promise<boolean> {
    const there = await identityAt(file);
    const known = this.#known.get(file);
    if (known !== undefined && (await identityAt(known)) === there) return true;
    for (const number of await readdir(DESCRIPTORS).catch(() => [])) {
      const descriptor = `${DESCRIPTORS}/${number}`;
      if ((await identityAt(descriptor)) !== there || there === identityOf(undefined)) continue;
      this.#known.set(file, descriptor);
      return true;
    }
    return false;
  }
}
