// Sends the messages of one end of a channel: all messages of a tick travel as one array.
import type { Transferable } from 'node:worker_threads';
import type { Control, Wire } from './channel.ts';

export interface Message {
  readonly id?: string;
  readonly control?: Control;
}

export class Outbox {
  readonly #wire: Wire;
  readonly #onUnsent: (message: Message, error: unknown) => void;
  #messages: Message[] = [];
  #transfer: Transferable[] = [];
  #isClosed = false;

  /** @param onUnsent gets a message that cannot be cloned, and the error */
  constructor(wire: Wire, onUnsent: (message: Message, error: unknown) => void) {
    this.#wire = wire;
    this.#onUnsent = onUnsent;
  }

  /** Sends the message at the end of the tick. Its buffers and ports are transferred. */
  push(message: Message, transfer?: readonly Transferable[]): void {
    if (transfer?.length) this.#transfer.push(...transfer);
    if (this.#isClosed) return;
    if (this.#messages.length === 0) setImmediate(() => this.flush());
    this.#messages.push(message);
  }

  /** Sends the pending messages now. */
  flush(): void {
    if (this.#isClosed || this.#messages.length === 0) return;
    const messages = this.#messages;
    const transfer = this.#transfer;
    this.#messages = [];
    this.#transfer = [];
    try {
      this.#wire.post(messages, transfer);
    } catch {
      for (const message of messages) this.#postAlone(message);
    }
  }

  /** Stops sending. @returns false if it was already closed */
  close(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    return true;
  }

  #postAlone(message: Message): void {
    try {
      this.#wire.post([message], []);
    } catch (error) {
      this.#onUnsent(message, error);
    }
  }
}
