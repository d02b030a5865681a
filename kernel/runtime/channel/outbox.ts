// Sends the messages of one end of a channel: all messages of a tick travel as one array.
import type { Transferable } from 'node:worker_threads';
import type { Wire } from './channel.ts';
import type { Message } from './messages.ts';

const NOTHING: readonly Transferable[] = [];

/** The buffers and ports that are transferred with one message. */
interface Cargo {
  readonly message: Message;
  readonly transfer: readonly Transferable[];
}

export class Outbox {
  readonly #wire: Wire;
  readonly #onUnsent: (message: Message, error: unknown) => void;
  #messages: Message[] = [];
  #cargo: Cargo[] = [];
  #isClosed = false;
  readonly #flush = () => this.flush();

  /** @param onUnsent gets a message that cannot be cloned, and the error */
  constructor(wire: Wire, onUnsent: (message: Message, error: unknown) => void) {
    this.#wire = wire;
    this.#onUnsent = onUnsent;
  }

  /** Sends the message at the end of the tick. Its buffers and ports are transferred. */
  push(message: Message, transfer: readonly Transferable[] = NOTHING): void {
    if (this.#isClosed) return;
    if (this.#messages.length === 0) setImmediate(this.#flush);
    this.#messages.push(message);
    if (transfer.length > 0) this.#cargo.push({ message, transfer });
  }

  /** Sends the pending messages now. */
  flush(): void {
    if (this.#isClosed || this.#messages.length === 0) return;
    const messages = this.#messages;
    const cargo = this.#cargo;
    this.#messages = [];
    if (cargo.length > 0) this.#cargo = [];
    try {
      this.#wire.post(messages, cargo.length === 0 ? NOTHING : cargo.flatMap(({ transfer }) => transfer));
    } catch {
      for (const message of messages) this.#postAlone(message, cargo.find((each) => each.message === message)?.transfer ?? NOTHING);
    }
  }

  /** Stops sending. @returns false if it was already closed */
  close(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    return true;
  }

  #postAlone(message: Message, transfer: readonly Transferable[]): void {
    try {
      this.#wire.post([message], transfer);
    } catch (error) {
      this.#onUnsent(message, error);
    }
  }
}
