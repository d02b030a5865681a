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

/** @param keepsEarly whether batches of channels that are not open yet are kept: for the end that learns of a channel by a message */
export function ipcHub(end: IpcEnd, keepsEarly: boolean): IpcHub {
  const channels = new IpcChannels(keepsEarly);
  end.on('message', (message) => {
    if (isParcel(message)) channels.receive(message);
  });
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

/** The other end may be a process whose native library went astray. */
function isParcel(message: unknown): message is Parcel {
  if (typeof message !== 'object' || message === null) return false;
  const { channel, batch } = message as Partial<Parcel>;
  return Number.isSafeInteger(channel) && (batch === undefined || Array.isArray(batch));
}

/** The listeners of the channels of this end. */
class IpcChannels {
  readonly #open = new Map<number, IpcListener>();
  /** Batches of channels that are not open yet, because the two ends open a channel at different times. */
  readonly #early = new Map<number, (readonly unknown[])[]>();
  readonly #keepsEarly: boolean;
  /** Channels are opened in the order of their numbers, so what comes for a lower one is too late, not early. */
  #highest = -1;

  constructor(keepsEarly: boolean) {
    this.#keepsEarly = keepsEarly;
  }

  receive({ channel, batch }: Parcel): void {
    const open = this.#open.get(channel);
    if (!batch) {
      this.#open.delete(channel);
      open?.onClose();
    } else if (open) open.onBatch(batch.flatMap(ownMessage));
    else if (this.#keepsEarly && channel > this.#highest) this.#early.set(channel, [...(this.#early.get(channel) ?? []), batch.flatMap(ownMessage)]);
  }

  open(channel: number, listener: IpcListener): void {
    this.#highest = Math.max(this.#highest, channel);
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

/** Deeper than any message: the values in one are nested at most 64 deep. */
const MAX_DEPTH = 80;

/** @returns the message in a list, with bytes of its own; an empty list for one that no honest end would send */
function ownMessage(message: unknown): readonly unknown[] {
  try {
    return [ownBytes(message, 0)];
  } catch {
    return [];
  }
}

/** Copies bytes that arrived by IPC: they are views of the whole message, and only bytes with their own buffer can be sent on. */
function ownBytes(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw new TypeError(`a message nested deeper than ${MAX_DEPTH} is not one of ours`);
  if (ArrayBuffer.isView(value)) return value instanceof Uint8Array ? new Uint8Array(value) : value;
  if (Array.isArray(value)) return value.map((item) => ownBytes(item, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, ownBytes(item, depth + 1)]));
}
