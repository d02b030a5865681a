// Closes connections whose peer does not read: they have something to write, and too little of it leaves in the time they have.
import type { Socket } from 'node:net';
import type { Clock } from './clock.ts';
import type { Holding, Shares } from './shares.ts';

export interface StalledOptions {
  readonly clock: Clock;
  /** In this time all of what waits has to leave, or at least MIN_PROGRESS_BYTES of it. */
  readonly timeoutMs: number;
  /** What waits in the sockets counts here, beside what was counted already. */
  readonly answers: Shares;
}

/** Where a connection was when enough had left last. */
interface Mark {
  readonly holding: Holding;
  left: number;
  at: number;
}

/**
 * A steady reader is never cut: in 30 s it takes far more. The system tells of progress when a third of its own buffer is free again, so
 * that a reader of some kilobytes a second shows none for seconds, then much.
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

  /** @param who holds what waits in the socket */
  watch(socket: Socket, who: string): void {
    const watched = { who, mark: undefined as Mark | undefined };
    this.#sockets.set(socket, watched);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      watched.mark?.holding.release();
    });
  }

  /** A slice of a large answer begins to leave: time runs from now, not from when the socket is next looked at. */
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

/** Bytes that the system has taken. */
function leftOf(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
