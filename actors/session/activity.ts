// When sessions were last used: written once per tenth of the idle limit at most, and a tenth after the use at the latest, so that rows tell who is idle.
import type { Clock, Timer } from '../../kernel/clock.ts';
import type { SessionUse, StoredSession } from './rows.ts';

/** The idle limit is written at most once per this part of it. */
const TOUCH_PART = 10;
/** Those that fall due soon after each other are written together. */
const MIN_GAP_MS = 200;
/** In one transaction: others write in between. */
const MAX_WRITTEN = 500;
/** Sessions whose use waits to be written; beyond them each use is written at once. */
const MAX_PENDING = 100_000;

export class Activity {
  readonly #writeRows: (used: readonly SessionUse[]) => Promise<number>;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  /** Used since their row was written. */
  readonly #pending = new Map<string, SessionUse>();
  #timer: Timer | undefined;
  /** No pending use is due before; too early is harmless. */
  #nextDueAt = Number.POSITIVE_INFINITY;

  /** @param write the uses into their rows; answers how many rows are there still */
  constructor(write: (used: readonly SessionUse[]) => Promise<number>, clock: Clock, onFailure: (error: unknown) => void) {
    this.#writeRows = write;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** What a row says and what this thread knows: a use that is not written yet counts. */
  known(session: StoredSession): StoredSession {
    const used = this.#pending.get(session.id);
    if (used && used.seenAt > session.use.seenAt) session.use.seenAt = used.seenAt;
    return session;
  }

  /** The session is used now. @returns false when its row is gone, as far as that was looked at */
  async note({ use: session }: StoredSession): Promise<boolean> {
    const now = this.#clock.now();
    session.seenAt = now;
    const dueAt = dueOf(session);
    if (now < dueAt && (this.#pending.size < MAX_PENDING || this.#pending.has(session.id))) {
      this.#pending.set(session.id, session);
      if (dueAt < this.#nextDueAt) this.#wake(dueAt);
      return true;
    }
    session.writtenAt = now;
    this.#pending.delete(session.id);
    return (await this.#writeRows([session])) === 1;
  }

  forget(id: string): void {
    this.#pending.delete(id);
  }

  /** Writes what is due: after it no row says less than nine tenths of an idle limit ago of what was used since. */
  async settle(): Promise<void> {
    const now = this.#clock.now();
    if (now < this.#nextDueAt) return;
    const due: SessionUse[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const session of this.#pending.values()) {
      const dueAt = dueOf(session);
      if (dueAt <= now) due.push(session);
      else if (dueAt < next) next = dueAt;
    }
    this.#wake(next);
    try {
      await this.#write(due);
    } catch (error) {
      // They are pending still.
      this.#wake(now);
      throw error;
    }
  }

  /** Writes everything. */
  async stop(): Promise<void> {
    this.#wake(Number.POSITIVE_INFINITY);
    await this.#write([...this.#pending.values()]);
  }

  async #write(used: readonly SessionUse[]): Promise<void> {
    for (let at = 0; at < used.length; at += MAX_WRITTEN) {
      const part = used.slice(at, at + MAX_WRITTEN);
      const seen = part.map(({ seenAt }) => seenAt);
      await this.#writeRows(part);
      // What was used meanwhile waits for its own turn.
      part.forEach((session, index) => {
        session.writtenAt = seen[index] as number;
        if (session.seenAt === session.writtenAt && this.#pending.get(session.id) === session) this.#pending.delete(session.id);
      });
    }
    for (const session of used) if (this.#pending.has(session.id)) this.#wake(Math.min(this.#nextDueAt, dueOf(session)));
  }

  #wake(dueAt: number): void {
    if (this.#timer) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextDueAt = dueAt;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    const run = () => void this.settle().catch(this.#onFailure);
    this.#timer = this.#clock.setTimeout(run, Math.max(MIN_GAP_MS, dueAt - this.#clock.now()));
  }
}

function dueOf({ writtenAt, maxStaleAgeSeconds }: SessionUse): number {
  return writtenAt + (maxStaleAgeSeconds * 1000) / TOUCH_PART;
}
