// Watches whether the wall clock jumps, so that /ready tells it before sessions end too early or locks and tokens live too long.
import type { Clock } from '../clock.ts';
import { type Hands, handsOf, type Reading, readHands } from '../hands.ts';
import type { Log } from '../log/log-entry.ts';
import { repeat } from '../repeat.ts';

const EVERY_MS = 1_000;
/** Of this server's clock; what time servers correct by and by is far less in one second. */
const JUMP_MS = 10_000;
/** A clock that stays where it jumped was set right. */
const ACCEPTED_MS = 5 * 60_000;

export class ClockProbe {
  readonly #hands: Hands;
  readonly #log: Pick<Log, 'warn'>;
  readonly #rest: () => void;
  #last: Reading;
  #jumpedMs = 0;
  #jumpedAt = 0;

  constructor(clock: Clock, log: Pick<Log, 'warn'>, hands: Hands = handsOf(clock)) {
    this.#hands = hands;
    this.#log = log;
    this.#last = readHands(hands);
    this.#rest = repeat(
      clock,
      EVERY_MS,
      async () => this.#look(),
      () => {},
    );
  }

  /** What /ready says; undefined while the clock is where it should be. */
  get problem(): string | undefined {
    if (Math.abs(this.#jumpedMs) < JUMP_MS) return undefined;
    const seconds = Math.round(this.#jumpedMs / 1_000);
    return `it has jumped by ${seconds > 0 ? '+' : ''}${seconds} s: set it right, or wait ${ACCEPTED_MS / 60_000} minutes if it is right now`;
  }

  close(): void {
    this.#rest();
  }

  #look(): void {
    const now = readHands(this.#hands);
    const jump = now.wall - this.#last.wall - (now.elapsed - this.#last.elapsed);
    this.#last = now;
    if (Math.abs(jump) >= JUMP_MS) {
      this.#jumpedMs += jump;
      this.#jumpedAt = now.elapsed;
      this.#log.warn({ seconds: Math.round(jump / 1_000) }, 'the clock has jumped');
    }
    if (now.elapsed >= this.#jumpedAt + ACCEPTED_MS) this.#jumpedMs = 0;
  }
}
