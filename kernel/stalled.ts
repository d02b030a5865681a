// Closes connections whose peer does not read: data waits to be sent, and too little of it is sent within the time limit.
import type { Socket } from 'node:net';
import type { Clock } from './clock.ts';
import type { Holding, Shares } from './limits/shares.ts';

export interface StalledOptions {
  readonly clock: Clock;
  /** Within this time all waiting bytes must be sent, or at least MIN_PROGRESS_BYTES of them. */
  readonly timeoutMs: number;
  /** The bytes that wait in sockets are counted here as well. */
  readonly answers: Shares;
}

/** State of a connection at its last sufficient progress. */
interface Mark {
  readonly holding: Holding;
  left: number;
  at: number;
}

/**
 * A steady reader is never closed, because it reads far more in 30 s. The system reports progress only when a third of its send buffer is free, so
 * a client that reads a few kilobytes per second shows no progress for seconds, and then a lot.
 */
const MIN_PROGRESS_BYTES = 65_536;
const CHECK_MS = 1_000;

export class Stalled {
  readonly #options: StalledOptions;
  readonly #sockets = new Map<Socket, { readonly who: string; mark: Mark | undefined }>();
  #timer: ReturnType<Clock['setTimeout']>;

  constructor(options: StalledOptions) {
    this.#options = options;
    this.#timer = options.clock.setTimeout(this.#check, CHECK_MS);
  }

  /** @param who the holder that the waiting bytes count against */
  watch(socket: Socket, who: string): void {
    const watched = { who, mark: undefined as Mark | undefined };
    this.#sockets.set(socket, watched);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      watched.mark?.holding.release();
    });
  }

  /** Call it when a slice of a large answer is written, so that time runs from now and not from the next check. */
  note(socket: Socket): void {
    const watched = this.#sockets.get(socket);
    if (!watched) return;
    watched.mark ??= this.#markOf(socket, watched.who);
    advance(watched.mark, socket, this.#options.clock.monotonic());
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer);
  }

  #markOf(socket: Socket, who: string): Mark {
    const { clock, answers } = this.#options;
    return { holding: answers.open(who, () => socket.destroy()), left: leftOf(socket), at: clock.monotonic() };
  }

  readonly #check = (): void => {
    const { clock, timeoutMs } = this.#options;
    const now = clock.monotonic();
    for (const [socket, watched] of this.#sockets) {
      const waits = socket.writableLength;
      if (waits === 0) {
        watched.mark?.holding.release();
        watched.mark = undefined;
        continue;
      }
      watched.mark ??= this.#markOf(socket, watched.who);
      const { mark } = watched;
      advance(mark, socket, now);
      if (now - mark.at > timeoutMs || !mark.holding.set(waits)) socket.destroy();
    }
    this.#timer = clock.setTimeout(this.#check, CHECK_MS);
  };
}

function advance(mark: Mark, socket: Socket, now: number): void {
  const left = leftOf(socket);
  if (left - mark.left < MIN_PROGRESS_BYTES) return;
  mark.left = left;
  mark.at = now;
}

/** @returns the number of bytes that the system has accepted */
function leftOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
