// What the supervisor knows of a running actor, whether it lives in a thread or in a process of its own.
import type { MessagePort } from 'node:worker_threads';
import { decodeFault, Fault, type FaultWire } from '../fault.ts';
import type { Control, Line } from './line.ts';

export interface Incarnation {
  readonly line: Line;
  /** Settles when the thread or process is gone, with the reason; undefined after a graceful stop. */
  readonly lost: Promise<unknown>;
  /** Settles when nothing of it runs any more: `lost` may be known while native code, such as a commit, still ends. */
  readonly gone: Promise<void>;
  /** The V8 heap and thread of this incarnation, or its process. Tests end it by this. */
  kill(): Promise<void>;
  /** Hands the end of a direct channel to the actor with the announcement of what it is for. */
  give(announcement: Control, port: MessagePort): void;
}

/** Everything a host needs to make an actor. Plain data: it crosses a port. */
export interface HostTask {
  readonly module: string;
  readonly name: string;
  readonly key: string;
  readonly args: unknown;
  /** Names of the actors it may call, with their keys and the deadline of a call. */
  readonly peers: Readonly<Record<string, { readonly keys: readonly string[]; readonly deadlineMs: number; readonly maxQueue: number }>>;
  /** Where its store is; absent where the spec asks for none. */
  readonly store: StoreAddress | undefined;
  /** The data keys that the spec asks for; they move with the task. */
  readonly dataKeys: Readonly<Record<string, Uint8Array>>;
  /** Of these, the purposes whose rows may be from before they were authenticated. */
  readonly adopts: readonly string[];
  /** Names the writer of audit rows: node and start of the server. */
  readonly node: string;
}

export interface StoreAddress {
  /** `sqlite:<absolute path>` or `postgres://...`. */
  readonly url: string;
}

/** Settles when the host says that its actor exists; fails with the reason it gives, or when it is lost first. */
export function started(line: Line, lost: Promise<unknown>, label: string): Promise<void> {
  return new Promise((resolve, reject) => {
    line.onControl((message) => {
      if (message.kind === 'started') resolve();
      if (message.kind === 'failed') reject(decodeFault(message['fault'] as FaultWire));
    });
    lost.then((cause) => reject(new Fault('ACTOR_LOST', { detail: `${label} ended while it was starting`, cause })));
  });
}

/** How long an incarnation that is gone may still be heard, milliseconds: what it said last travels another way than the news of its end. */
export const LAST_WORD_MS = 100;

/** Closes the line of an incarnation once it is gone and its last words have had time to arrive. */
export function closeWhenLost(line: Line, lost: Promise<unknown>): void {
  lost.then(() => setTimeout(() => line.close(), LAST_WORD_MS).unref());
}

/** Tells it to stop and waits until it is gone, and a moment for its last word, which may be on its way. */
export async function endGracefully({ line, lost }: Incarnation): Promise<void> {
  let heard = () => {};
  const lastWord = new Promise<void>((resolve) => {
    heard = resolve;
  });
  line.onControl(({ kind }) => kind === 'stopped' && heard());
  line.control({ kind: 'stop' });
  await lost;
  await Promise.race([lastWord, new Promise((resolve) => setTimeout(resolve, LAST_WORD_MS))]);
}
