// One channel between a caller and an actor: carries calls, answers and control messages, and passes each to its listener.
import type { MessagePort, Transferable } from 'node:worker_threads';
import { type Answer, CALL, type CallMessage, CONTROL, type Control, internalFault, type Message, readMessage } from './messages.ts';
import { Outbox } from './outbox.ts';

/** Carries batches of messages: a MessagePort, or the IPC channel of a child process. */
export interface Wire {
  post(batch: readonly unknown[], transfer: readonly Transferable[]): void;
  listen(onBatch: (batch: readonly unknown[]) => void, onClose: () => void): void;
  close(): void;
}

export interface Channel {
  /** Sends a call or an answer. A call that cannot be sent is answered here with a fault, and such an answer becomes a fault for its caller. */
  send(message: CallMessage | Answer, transfer?: readonly Transferable[]): void;
  /** Sends a control message in order with the calls. `ports` are transferred with it. */
  control(message: Control, ports?: readonly MessagePort[]): void;
  /** Sets the only listener to calls; without one they are dropped. */
  onCall(listen: (call: CallMessage) => void): void;
  /** Sets the only listener to answers. */
  onAnswer(listen: (answer: Answer) => void): void;
  /** @returns a function that ends the listening */
  onControl(listen: (message: Control) => void): () => void;
  onClose(listen: () => void): void;
  /** Sends the pending messages now. */
  flush(): void;
  close(): void;
}

export function openChannel(wire: Wire): Channel {
  return new WiredChannel(wire);
}

class WiredChannel implements Channel {
  readonly #wire: Wire;
  readonly #outbox: Outbox;
  #call: (call: CallMessage) => void = () => {};
  #answer: (answer: Answer) => void = () => {};
  readonly #controls = new Set<(message: Control) => void>();
  readonly #closers = new Set<() => void>();

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#outbox = new Outbox(wire, (message, error) => this.#answerUnsent(message, error));
    wire.listen(
      (batch) => this.#receive(batch),
      () => this.#end(),
    );
  }

  send(message: CallMessage | Answer, transfer?: readonly Transferable[]): void {
    this.#outbox.push(message, transfer);
  }

  control(control: Control, ports?: readonly MessagePort[]): void {
    this.#outbox.push([CONTROL, control], ports);
  }

  onCall(listen: (call: CallMessage) => void): void {
    this.#call = listen;
  }

  onAnswer(listen: (answer: Answer) => void): void {
    this.#answer = listen;
  }

  onControl(listen: (message: Control) => void): () => void {
    this.#controls.add(listen);
    return () => void this.#controls.delete(listen);
  }

  onClose(listen: () => void): void {
    this.#closers.add(listen);
  }

  flush(): void {
    this.#outbox.flush();
  }

  close(): void {
    this.#outbox.flush();
    this.#end(() => this.#wire.close());
  }

  /** Runs only once, whichever side closes the channel. */
  #end(before?: () => void): void {
    if (!this.#outbox.close()) return;
    before?.();
    for (const listener of this.#closers) listener();
  }

  #receive(batch: unknown): void {
    if (!Array.isArray(batch)) return;
    for (const each of batch) {
      const message = readMessage(each);
      if (message) this.#deliver(message);
    }
    this.#outbox.flush();
  }

  #deliver(message: Message): void {
    if (message[0] === CALL) this.#call(message);
    else if (message[0] === CONTROL) for (const listener of this.#controls) listener(message[1]);
    else this.#answer(message);
  }

  #answerUnsent(message: Message, error: unknown): void {
    if (message[0] === CONTROL) throw error;
    const fault = internalFault(message[1], `could not be sent: ${String(error)}`);
    if (message[0] === CALL) this.#answer(fault);
    else this.#wire.post([fault], []);
  }
}
