// One channel between a caller and an actor: separates Comlink messages from control messages and passes them to their listeners.
import type { MessagePort, Transferable } from 'node:worker_threads';
import type { Endpoint } from 'comlink';
import { type Message, Outbox } from './outbox.ts';

/** Carries batches of messages: a MessagePort, or the IPC channel of a child process. */
export interface Wire {
  post(batch: readonly unknown[], transfer: readonly Transferable[]): void;
  listen(onBatch: (batch: readonly unknown[]) => void, onClose: () => void): void;
  close(): void;
}

type Listener = (event: { readonly data: unknown }) => void;

export interface Channel {
  /** The endpoint for Comlink. */
  readonly endpoint: Endpoint;
  /** Sends a control message in order with the calls. `ports` are transferred with it. */
  control(message: Control, ports?: readonly MessagePort[]): void;
  /** @returns a function that ends the listening */
  onControl(listen: (message: Control) => void): () => void;
  onClose(listen: () => void): void;
  /** Sends the pending messages now. */
  flush(): void;
  close(): void;
}

/** A control message between host and supervisor. Its other members depend on `kind`. */
export interface Control {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** @returns the answer to a message that could not be cloned, in the format of Comlink, so that its caller does not wait */
function unsendable(id: string, error: unknown): unknown {
  return { id, type: 'RAW', value: { ok: false, fault: { code: 'INTERNAL', trace: `could not be sent: ${String(error)}` }, ms: 0 } };
}

export function openChannel(wire: Wire): Channel {
  return new WiredChannel(wire);
}

class WiredChannel implements Channel {
  readonly endpoint: Endpoint;
  readonly #wire: Wire;
  readonly #outbox: Outbox;
  readonly #listeners = new Set<Listener>();
  readonly #controls = new Set<(message: Control) => void>();
  readonly #closers = new Set<() => void>();

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#outbox = new Outbox(wire, (message, error) => this.#answerUnsent(message, error));
    this.endpoint = {
      postMessage: (message: unknown, buffers?: readonly Transferable[]) => this.#outbox.push(message as Message, buffers),
      addEventListener: (_type: string, listener: unknown) => void this.#listeners.add(listener as Listener),
      removeEventListener: (_type: string, listener: unknown) => void this.#listeners.delete(listener as Listener),
    } as unknown as Endpoint;
    const receive = (messages: readonly unknown[]) => {
      for (const message of messages) this.#deliver(message as Message);
    };
    wire.listen(receive, () => this.#end());
  }

  control(control: Control, ports?: readonly MessagePort[]): void {
    this.#outbox.push({ control }, ports);
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

  #deliver(message: Message): void {
    if (message.control === undefined) for (const listener of this.#listeners) listener({ data: message });
    else for (const listener of this.#controls) listener(message.control);
  }

  /** A call that cannot be sent is answered locally. A reply that cannot be sent is replaced by a fault for its caller. */
  #answerUnsent(message: Message, error: unknown): void {
    if (message.id === undefined) throw error;
    const answer = unsendable(message.id, error);
    if ('path' in message) this.#deliver(answer as Message);
    else this.#wire.post([answer], []);
  }
}
