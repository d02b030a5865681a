// The handle of a running actor, the same for a thread and for a separate process.
import type { MessagePort } from 'node:worker_threads';
import { decodeFault, Fault } from '../../fault.ts';
import type { Channel } from './channel.ts';
import { type Control, isFault } from './messages.ts';

export interface Incarnation {
  readonly channel: Channel;
  /** Settles with the reason when the thread or process has ended; with undefined after a graceful stop. */
  readonly lost: Promise<unknown>;
  /** Settles when nothing of it runs any more. This may be later than `lost`, because native code such as a commit may still run. */
  readonly gone: Promise<void>;
  /** Ends the thread or process by force. */
  kill(): Promise<void>;
  /** Gives the actor one end of a direct channel, with a control message that tells its purpose. */
  give(announcement: Control, port: MessagePort): void;
}

/** Everything that a host needs to create an actor. It is plain data, because it crosses a port. */
export interface HostTask {
  readonly module: string;
  readonly name: string;
  readonly key: string;
  readonly args: unknown;
  /** The actors that it may call, by name, with their keys, and the deadline and queue limit of calls. */
  readonly peers: Readonly<
    Record<
      string,
      { readonly keys: readonly string[]; readonly about: Readonly<Record<string, unknown>>; readonly deadlineMs: number; readonly maxQueue: number }
    >
  >;
  /** The store; undefined unless the spec has `store: true`. */
  readonly store: StoreAddress | undefined;
  /** The data keys that the spec names. They are moved with the task. */
  readonly dataKeys: Readonly<Record<string, Uint8Array>>;
  /** Those purposes of data keys whose rows may not be authenticated yet. */
  readonly adopts: readonly string[];
  /** Calls may be traced: the spans go to the main thread. */
  readonly isTraced?: boolean;
  /** Name of this node, with which the names of audit streams begin. */
  readonly node: string;
}

export interface StoreAddress {
  /** `sqlite:<absolute path>` or `postgres://...`. */
  readonly url: string;
  /** Names this process in its changes. */
  readonly origin?: string;
}

/** Settles when the host reports that its actor exists. Rejects with the reason that the host reports, or if it is lost before. */
export function waitForStart(channel: Channel, lost: Promise<unknown>, label: string): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.onControl((message) => {
      if (message.kind === 'started') resolve();
      if (message.kind !== 'failed') return;
      const { fault } = message;
      reject(isFault(fault) ? decodeFault(fault) : new Fault('INTERNAL', { cause: `${label} failed with a malformed reason` }));
    });
    lost.then((cause) => reject(new Fault('ACTOR_LOST', { detail: `${label} ended while it was starting`, cause })));
  });
}

/** How long to wait for the last messages of an ended incarnation. They travel on another path than the notice of its end. */
const LAST_WORD_MS = 100;

/** Closes the channel of an ended incarnation after its last messages have had time to arrive. */
export function closeWhenLost(channel: Channel, lost: Promise<unknown>): void {
  lost.then(() => setTimeout(() => channel.close(), LAST_WORD_MS).unref());
}

/** Tells it to stop, waits until it has ended, and then a moment for its last message, which may still be on its way. */
export async function endGracefully({ channel, lost }: Incarnation): Promise<void> {
  let heard = () => {};
  const lastWord = new Promise<void>((resolve) => {
    heard = resolve;
  });
  channel.onControl(({ kind }) => kind === 'stopped' && heard());
  channel.control({ kind: 'stop' });
  await lost;
  await Promise.race([lastWord, new Promise((resolve) => setTimeout(resolve, LAST_WORD_MS))]);
}

/** The buffers of the data keys, which are moved with the task. */
export function keyBuffers({ dataKeys }: HostTask): ArrayBuffer[] {
  return Object.values(dataKeys).map(({ buffer }) => buffer as ArrayBuffer);
}
