// Notices a front whose thread turns no more, in an endless loop or in code that blocks: it counts turns in shared memory, and the main thread looks at them.

/** Looks within the limit. A front counts twice as often. */
const LOOKS = 5;

/** Counts the turns of this thread. @param limitMs 0: nobody looks @returns a function that ends it */
export function beat(pulse: SharedArrayBuffer, limitMs: number): () => void {
  if (limitMs === 0) return () => {};
  const turns = new Int32Array(pulse);
  const timer = setInterval(() => Atomics.add(turns, 0, 1), limitMs / LOOKS / 2);
  timer.unref();
  return () => clearInterval(timer);
}

/** One front, as the main thread sees its turns. */
export interface Beating {
  /** Of the thread that runs now; undefined while none does, or while it starts or stops. */
  readonly pulse: SharedArrayBuffer | undefined;
}

interface Silence {
  readonly pulse: SharedArrayBuffer;
  readonly turns: number;
  readonly looks: number;
}

/**
 * Looks are counted, not time: while this thread is blocked itself, or the machine sleeps, nobody looks. So a front has had the time of LOOKS looks in which
 * this thread turned.
 */
export class Heartbeats<F extends Beating> {
  readonly #onStuck: (front: F) => void;
  readonly #silences = new Map<F, Silence>();

  constructor(onStuck: (front: F) => void) {
    this.#onStuck = onStuck;
  }

  look(fronts: readonly F[]): void {
    for (const front of fronts) {
      const { pulse } = front;
      const last = this.#silences.get(front);
      if (!pulse) this.#silences.delete(front);
      else this.#note(front, pulse, Atomics.load(new Int32Array(pulse), 0), last?.pulse === pulse ? last : undefined);
    }
  }

  /** Told once for each thread: it may take a while until it has ended. */
  #note(front: F, pulse: SharedArrayBuffer, turns: number, last: Silence | undefined): void {
    const looks = last?.turns === turns ? last.looks + 1 : 0;
    this.#silences.set(front, { pulse, turns, looks });
    if (looks === LOOKS) this.#onStuck(front);
  }
}

/** The time of this is the real one, as is that of what blocks a thread. @param limitMs 0: never @returns a function that ends it */
export function watchBeats<F extends Beating>(limitMs: number, fronts: () => readonly F[], onStuck: (front: F) => void): () => void {
  if (limitMs === 0) return () => {};
  const heartbeats = new Heartbeats(onStuck);
  const timer = setInterval(() => heartbeats.look(fronts()), limitMs / LOOKS);
  timer.unref();
  return () => clearInterval(timer);
}
