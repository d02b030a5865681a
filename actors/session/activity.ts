// Records when sessions were last used. A row is written at most once, and at the latest, per tenth of the idle limit, so that rows show who is idle.
import type { Clock, Timer } from '../../kernel/clock.ts';
import type { SessionUse, StoredSession } from './rows.ts';

/** A session's use is written at most once per this fraction of the idle limit. */
const TOUCH_PART = 10;
/** Writes that fall due within this time are made together. */
const MIN_GAP_MS = 200;
/** After a write that failed the next one comes so soon: a database that is away is not asked all the time. */
const AGAIN_MS = 2_000;
/** Rows in one transaction; a limit, so that others can write in between. */
const MAX_WRITTEN = 500;
/** Highest number of sessions with an unwritten use; beyond that, each use is written immediately. */
const MAX_PENDING = 100_000;

export class Activity {
  readonly #writeRows: (used: readonly SessionUse[]) => Promise<number>;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  /** Sessions that were used since their row was written. */
  readonly #pending = new Map<string, SessionUse>();
  #timer: Timer | undefined;
  /** No pending use is due before this time; a value that is too early does no harm. */
  #nextDueAt = Number.POSITIVE_INFINITY;
  /** Told already. */
  #isFailing = false;

  /**
   * @param write writes the uses into their rows, and returns how many of the rows exist
   * @param onFailure called when the writes that nobody waits for begin to fail
   */
  constructor(write: (used: readonly SessionUse[]) => Promise<number>, clock: Clock, onFailure: (error: unknown) => void) {
    this.#writeRows = write;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Adds to a session from its row a use that this thread has not written yet. */
  addKnownUse(session: StoredSession): StoredSession {
    const used = this.#pending.get(session.id);
    if (used && used.seenAt > session.use.seenAt) session.use.seenAt = used.seenAt;
    return session;
  }

  /** @returns the use of a session that this thread has not written yet */
  unwritten(id: string): SessionUse | undefined {
    return this.#pending.get(id);
  }

  /** Records that the session is used now. @returns false if the row was written and no longer exists */
  note({ use: session }: StoredSession): boolean | Promise<boolean> {
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
    return this.#writeRows([session]).then((written) => written === 1);
  }

  forget(id: string): void {
    this.#pending.delete(id);
  }

  /** Writes all uses that are due. After that, no row is behind the session's last use by more than a tenth of its idle limit. */
  async settle(): Promise<void> {
    const now = this.#clock.now();
    // The timer counts what elapses, and the clock may have been set back meanwhile: it is set again.
    if (now < this.#nextDueAt) return this.#wake(this.#nextDueAt);
    const due: SessionUse[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const session of this.#pending.values()) {
      const dueAt = dueOf(session);
      if (dueAt <= now) due.push(session);
      else next = Math.min(next, dueAt);
    }
    this.#wake(next);
    try {
      await this.#write(due);
    } catch (error) {
      // The uses are still pending.
      this.#wake(now, AGAIN_MS);
      throw error;
    }
  }

  /** Writes all pending uses. */
  async stop(): Promise<void> {
    this.#wake(Number.POSITIVE_INFINITY);
    await this.#write([...this.#pending.values()]);
  }

  async #write(used: readonly SessionUse[]): Promise<void> {
    for (let at = 0; at < used.length; at += MAX_WRITTEN) {
      const part = used.slice(at, at + MAX_WRITTEN);
      const seen = part.map(({ seenAt }) => seenAt);
      await this.#writeRows(part);
      // A session that was used meanwhile stays pending.
      part.forEach((session, index) => {
        session.writtenAt = seen[index] as number;
        if (session.seenAt === session.writtenAt && this.#pending.get(session.id) === session) this.#pending.delete(session.id);
      });
    }
    for (const session of used) if (this.#pending.has(session.id)) this.#wake(Math.min(this.#nextDueAt, dueOf(session)));
  }

  #wake(dueAt: number, atLeastMs = MIN_GAP_MS): void {
    if (this.#timer) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#nextDueAt = dueAt;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.setTimeout(() => this.#settleAlone(), Math.max(atLeastMs, dueAt - this.#clock.now()));
  }

  async #settleAlone(): Promise<void> {
    try {
      await this.settle();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#onFailure(error);
      this.#isFailing = true;
    }
  }
}

function dueOf({ writtenAt, maxStaleAgeSeconds }: SessionUse): number {
  return writtenAt + (maxStaleAgeSeconds * 1000) / TOUCH_PART;
}
