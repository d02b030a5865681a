// The time by which the server does by itself what cannot be taken back: it does not follow a clock that has jumped ahead until that has stayed where it is for a day.
import type { Clock } from '../clock.ts';
import { type Hands, handsOf, type Reading, readHands } from '../hands.ts';
import type { Reader } from './store.ts';

/** What time servers correct by and by is far less between two looks. */
const DOUBTED_MS = 60_000;
const BELIEVED_AFTER_MS = 86_400_000;

export class BelievedTime {
  readonly #hands: Hands;
  readonly #toleratedMs: number;
  /** A reading that is believed; `elapsed` counts on from it. */
  #believed: Reading;
  /** How far the clock is ahead, and since when. */
  #doubted: { readonly aheadMs: number; readonly since: number } | undefined;

  /**
   * @param hands of the machine
   * @param wall the last time that is known to have been, if the clock is ahead of it; milliseconds since the epoch
   * @param toleratedMs a clock that is ahead by no more is believed at once
   */
  constructor(hands: Hands, wall: number, toleratedMs = DOUBTED_MS) {
    this.#hands = hands;
    this.#toleratedMs = toleratedMs;
    this.#believed = { wall, elapsed: hands.elapsedMs() };
  }

  /** Milliseconds since the epoch. Never ahead of the clock. */
  now(): number {
    const reading = readHands(this.#hands);
    const { wall, elapsed } = reading;
    // Whole, as the columns of PostgreSQL want it.
    const expected = Math.floor(this.#believed.wall + elapsed - this.#believed.elapsed);
    const aheadMs = wall - expected;
    if (aheadMs > this.#toleratedMs && this.#isDoubted(aheadMs, elapsed)) return expected;
    this.#doubted = undefined;
    this.#believed = reading;
    return wall;
  }

  #isDoubted(aheadMs: number, elapsed: number): boolean {
    // One that jumps again has not stayed.
    if (!this.#doubted || Math.abs(aheadMs - this.#doubted.aheadMs) > DOUBTED_MS) this.#doubted = { aheadMs, since: elapsed };
    return elapsed < this.#doubted.since + BELIEVED_AFTER_MS;
  }
}

/**
 * A server that starts with a wrong clock finds in the newest row of the audit log from before its start what time it was.
 * @param toleratedMs how far the clock may be ahead of the expected time: as long as a server may be off, or its machine suspended
 */
export async function openBelievedTime(store: Reader, clock: Clock, toleratedMs?: number): Promise<BelievedTime> {
  const begin = Math.floor(clock.now() - process.uptime() * 1_000);
  const audit = await store.get<{ readonly newest: number | null }>('SELECT MAX(time) AS newest FROM audit WHERE time < $1', [begin]);
  return new BelievedTime(handsOf(clock), Number(audit?.newest ?? clock.now()), toleratedMs);
}
