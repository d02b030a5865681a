// Pieces of texts that are being written, kept until they are asked for: calls have one answer each, so a reader asks again and again.
import type { Clock } from '../../kernel/clock.ts';
import type { Pieces } from '../../text/pieces.ts';

/** The last pieces wait so long for their reader, who may have left. */
const KEPT_MS = 30_000;

interface Writing {
  pieces: [number, string][];
  isDone: boolean;
  wake: () => void;
}

export class PieceKeeper {
  readonly #writings = new Map<string, Writing>();
  readonly #clock: Pick<Clock, 'setTimeout'>;

  constructor(clock: Pick<Clock, 'setTimeout'>) {
    this.#clock = clock;
  }

  /** Runs `work`, whose pieces readers of `ticket` get. Without a ticket nobody reads. */
  async write<T>(ticket: string | undefined, work: (onText?: (input: number, piece: string) => void) => Promise<T>): Promise<T> {
    if (ticket === undefined) return work();
    const writing: Writing = { pieces: [], isDone: false, wake: () => {} };
    this.#writings.set(ticket, writing);
    const end = (isKept: boolean) => {
      writing.isDone = true;
      if (!isKept || writing.pieces.length === 0) this.#writings.delete(ticket);
      else this.#clock.setTimeout(() => void this.#writings.delete(ticket), KEPT_MS);
      writing.wake();
    };
    try {
      const result = await work((input, piece) => {
        const last = writing.pieces.at(-1);
        if (last?.[0] === input) last[1] += piece;
        else writing.pieces.push([input, piece]);
        writing.wake();
      });
      end(true);
      return result;
    } catch (error) {
      end(false);
      throw error;
    }
  }

  /** Waits until there is something. One reader at a time. */
  async read(ticket: string): Promise<Pieces> {
    const writing = this.#writings.get(ticket);
    if (!writing) return undefined;
    if (writing.pieces.length === 0 && !writing.isDone) await new Promise<void>((resolve) => (writing.wake = resolve));
    const { pieces } = writing;
    writing.pieces = [];
    if (writing.isDone) this.#writings.delete(ticket);
    return pieces.length === 0 ? undefined : pieces;
  }
}
