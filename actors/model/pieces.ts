// Pieces of texts that are being written, kept until they are asked for: calls have one answer each, so a reader asks again and again.

/** What was written since the last question; undefined when all is written. */
export type Pieces = readonly (readonly [input: number, piece: string])[] | undefined;

interface Writing {
  pieces: [number, string][];
  isDone: boolean;
  wake: () => void;
}

export class PieceKeeper {
  readonly #writings = new Map<string, Writing>();

  /** Runs `work`, whose pieces readers of `ticket` get. Without a ticket nobody reads. */
  async write<T>(ticket: string | undefined, work: (onText?: (input: number, piece: string) => void) => Promise<T>): Promise<T> {
    if (ticket === undefined) return work();
    const writing: Writing = { pieces: [], isDone: false, wake: () => {} };
    this.#writings.set(ticket, writing);
    const end = (isKept: boolean) => {
      writing.isDone = true;
      if (!isKept || writing.pieces.length === 0) this.#writings.delete(ticket);
      writing.wake();
    };
    try {
      const result = await work((input, piece) => {
        const last = writing.pieces.at(-1);
        if (last?.[0] === input) last[1] += piece;
        else writing.pieces.push([input, piece]);
        writing.wake();
      });
      // The last pieces wait for their reader.
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

/** Reads until all is written, while `work` goes on elsewhere. @returns what it returns */
export async function readWhile<T>(work: Promise<T>, read: () => Promise<Pieces>, onText: (input: number, piece: string) => void): Promise<T> {
  const follow = async () => {
    for (let pieces = await read(); pieces; pieces = await read()) for (const [input, piece] of pieces) onText(input, piece);
  };
  // If the work fails, its own failure is told; a failed reader loses only pieces, which the whole text has too.
  const following = follow().catch(() => {});
  const result = await work;
  await following;
  return result;
}
