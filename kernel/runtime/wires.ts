// The two kinds of wires: a MessagePort between threads, and a numbered channel of the IPC to a separate process.
import type { MessagePort } from 'node:worker_threads';
import type { Wire } from './channel.ts';

export function portWire(port: MessagePort): Wire {
  return {
    post: (batch, transfer) => port.postMessage(batch, transfer),
    listen(onBatch, onClose) {
      port.on('message', onBatch);
      port.on('messageerror', () => port.close());
      port.on('close', onClose);
    },
    close: () => port.close(),
  };
}

/** The common interface of both ends of Node's IPC with `serialization: 'advanced'`. */
export interface IpcEnd {
  send?(message: unknown, handle: undefined, options: object, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  readonly connected: boolean;
}

/** A message of the IPC. Without a batch it means that the channel is closed. */
interface Parcel {
  readonly channel: number;
  readonly batch?: readonly unknown[];
}

/** Several channels over one IPC. Channel 0 is the channel of the actor; the others are its direct channels, relayed by the kernel. */
interface IpcHub {
  wire(channel: number): Wire;
  /** Settles when everything sent so far has left this process. */
  waitUntilDrained(): Promise<void>;
}

interface IpcListener {
  onBatch(batch: readonly unknown[]): void;
  onClose(): void;
}

export function ipcHub(end: IpcEnd): IpcHub {
  const channels = new IpcChannels();
  end.on('message', (message) => channels.receive(message as Parcel));
  end.on('disconnect', () => channels.closeAll());
  const send = (parcel: Parcel, sent: () => void = () => {}) => {
    if (end.connected) end.send?.(parcel, undefined, {}, sent);
    else sent();
  };
  return {
    waitUntilDrained: () => new Promise((resolve) => send({ channel: 0, batch: [] }, resolve)),
    wire: (channel) => ({
      post(batch, transfer) {
        send({ channel, batch });
        // Buffers cannot be transferred between processes. Overwrite them, so that a moved secret does not stay in this process.
        for (const buffer of transfer) if (buffer instanceof ArrayBuffer) new Uint8Array(buffer).fill(0);
      },
      listen: (onBatch, onClose) => channels.open(channel, { onBatch, onClose }),
      close() {
        if (channels.close(channel)) send({ channel });
      },
    }),
  };
}

/** The listeners of the channels of this end. */
class IpcChannels {
  readonly #open = new Map<number, IpcListener>();
  /** Batches of channels that are not open yet, because the two ends open a channel at different times. */
  readonly #early = new Map<number, (readonly unknown[])[]>();

  receive({ channel, batch }: Parcel): void {
    const open = this.#open.get(channel);
    if (!batch) {
      this.#open.delete(channel);
      open?.onClose();
      return;
    }
    const own = batch.map(ownBytes);
    if (open) open.onBatch(own);
    else this.#early.set(channel, [...(this.#early.get(channel) ?? []), own]);
  }

  open(channel: number, listener: IpcListener): void {
    this.#open.set(channel, listener);
    for (const batch of this.#early.get(channel) ?? []) listener.onBatch(batch);
    this.#early.delete(channel);
  }

  /** @returns false if it was not open */
  close(channel: number): boolean {
    return this.#open.delete(channel);
  }

  closeAll(): void {
    for (const { onClose } of this.#open.values()) onClose();
    this.#open.clear();
  }
}

/** Copies bytes that arrived by IPC: they are views of the whole message, and only bytes with their own buffer can be sent on. */
function ownBytes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) return value instanceof Uint8Array ? new Uint8Array(value) : value;
  if (Array.isArray(value)) return value.map(ownBytes);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, ownBytes(item)]));
}
