// One line between a caller and an actor: Comlink messages and control messages of a tick travel as one array.
import type { MessagePort, Transferable } from 'node:worker_threads';
import type { Endpoint } from 'comlink';

/** What carries a batch: a MessagePort, or the IPC channel of a child process. */
export interface Wire {
  post(batch: readonly unknown[], transfer: readonly Transferable[]): void;
  listen(onBatch: (batch: readonly unknown[]) => void, onClose: () => void): void;
  close(): void;
}

type Listener = (event: { readonly data: unknown }) => void;

export interface Line {
  /** What Comlink wraps or exposes. */
  readonly endpoint: Endpoint;
  /** Sends a control message, in order with the calls; `ports` move with it. */
  control(message: Control, ports?: readonly MessagePort[]): void;
  /** Returns what ends the listening. */
  onControl(listen: (message: Control) => void): () => void;
  onClose(listen: () => void): void;
  /** Sends what is pending now. */
  flush(): void;
  close(): void;
}

/** Control messages are marked objects with a `kind`; their members are the business of host and cell. */
export interface Control {
  readonly kind: string;
  readonly [member: string]: unknown;
}

interface Message {
  readonly id?: string;
  readonly control?: Control;
}

/** The answer to a message that could not be cloned, in Comlink's own form, so that its caller is not left waiting. */
function unsendable(id: string, error: unknown): unknown {
  return { id, type: 'RAW', value: { ok: false, fault: { code: 'INTERNAL', trace: `could not be sent: ${String(error)}` }, ms: 0 } };
}

export function openLine(wire: Wire): Line {
  const listeners = new Set<Listener>();
  const controls = new Set<(message: Control) => void>();
  const closers = new Set<() => void>();
  let batch: Message[] = [];
  let transfer: Transferable[] = [];
  let closed = false;

  const deliver = (message: Message) => {
    if (message.control === undefined) for (const listener of listeners) listener({ data: message });
    else for (const listener of controls) listener(message.control);
  };
  const postAlone = (message: Message, buffers: readonly Transferable[]) => {
    try {
      wire.post([message], buffers);
    } catch (error) {
      if (message.id === undefined) throw error;
      // A call that cannot be sent is answered here; a reply that cannot be sent becomes a fault for its caller.
      if ('path' in message) deliver(unsendable(message.id, error) as Message);
      else wire.post([unsendable(message.id, error)], []);
    }
  };
  const flush = () => {
    if (closed || batch.length === 0) return;
    const messages = batch;
    const buffers = transfer;
    batch = [];
    transfer = [];
    try {
      wire.post(messages, buffers);
    } catch {
      for (const message of messages) postAlone(message, []);
    }
  };
  const push = (message: Message) => {
    if (closed) return;
    if (batch.length === 0) setImmediate(flush);
    batch.push(message);
  };
  const close = () => {
    if (closed) return;
    flush();
    closed = true;
    wire.close();
    for (const listener of closers) listener();
  };

  wire.listen(
    (messages) => {
      for (const message of messages) deliver(message as Message);
    },
    () => {
      if (closed) return;
      closed = true;
      for (const listener of closers) listener();
    },
  );
  const endpoint = {
    postMessage(message: unknown, buffers?: readonly Transferable[]) {
      if (buffers?.length) transfer.push(...buffers);
      push(message as Message);
    },
    addEventListener: (_type: string, listener: unknown) => void listeners.add(listener as Listener),
    removeEventListener: (_type: string, listener: unknown) => void listeners.delete(listener as Listener),
  };
  return {
    endpoint: endpoint as unknown as Endpoint,
    control(control, ports) {
      if (ports?.length) transfer.push(...ports);
      push({ control });
    },
    onControl(listen) {
      controls.add(listen);
      return () => void controls.delete(listen);
    },
    onClose: (listen) => void closers.add(listen),
    flush,
    close,
  };
}
