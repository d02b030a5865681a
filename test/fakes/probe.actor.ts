// A small actor for tests of the runtime: it echoes, waits, denies, has bugs, and dies in each way there is.
import { spawnSync } from 'node:child_process';
import { threadId } from 'node:worker_threads';
import { defineActor } from '../../kernel/actor.ts';
import { Fault } from '../../kernel/fault.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';

export interface ProbeArgs {
  readonly prefix?: string;
  /** The factory fails. */
  readonly broken?: boolean;
  /** The factory finds a disk that is full. */
  readonly full?: boolean;
  /** Named peers this actor asks. */
  readonly peer?: string;
}

export type ProbeApi = {
  echo(text: string): string;
  where(): { key: string; thread: number; pid: number };
  /** The thread that the actor serves the call in, some milliseconds later. */
  threadFor(kind: 'reads' | 'writes'): Promise<number>;
  count(): number;
  sleep(ms: number): Promise<string>;
  spin(ms: number): void;
  /** In native code for 0.3 s, which the end of the thread waits for; makes the file `sign` when it is there. */
  block(sign: string): void;
  hang(): Promise<void>;
  /** Waits, and lets the thread take others meanwhile. */
  sleepAside(ms: number): Promise<string>;
  untilAborted(): Promise<string>;
  aborted(): number;
  requestId(): string | undefined;
  deny(): void;
  bug(): void;
  unsendable(): unknown;
  bytes(input: Uint8Array): Uint8Array;
  moveBack(length: number): Uint8Array;
  now(): number;
  timer(ms: number): Promise<number>;
  version(id: string): number | undefined;
  report(ready: boolean, note: string): void;
  logIt(message: string): void;
  ask(peer: string, key: string, text: string): Promise<string>;
  /** What the spec of a peer says of a key. */
  about(peer: string, key: string): unknown;
  askSlow(peer: string, key: string): Promise<string>;
  env(): Record<string, string | undefined>;
  throwUncaught(): Promise<void>;
  rejectUnhandled(): Promise<void>;
  exhaustHeap(): void;
  exit(): void;
};

export default defineActor<ProbeApi, ProbeArgs>(({ prefix = '', broken, full }, ctx) => {
  if (broken) throw new Fault('PROBE_BROKEN', { detail: 'this actor is broken' });
  if (full) throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' });
  let calls = 0;
  let aborted = 0;
  const timers: number[] = [];
  return {
    api: {
      echo: (text) => `${prefix}${text}`,
      where: () => ({ key: ctx.key, thread: threadId, pid: process.pid }),
      threadFor: () => new Promise((resolve) => setTimeout(resolve, 5, threadId)),
      count: () => ++calls,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms, 'slept')),
      spin(ms) {
        const end = performance.now() + ms;
        while (performance.now() < end);
      },
      block: (sign) => void spawnSync('sh', ['-c', 'touch "$1"; sleep 0.3', 'sh', sign]),
      hang: () => new Promise(() => {}),
      sleepAside(ms) {
        ctx.call()?.aside();
        return new Promise((resolve) => setTimeout(resolve, ms, 'slept aside'));
      },
      untilAborted() {
        const signal = ctx.call()?.signal as AbortSignal;
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            aborted += 1;
            resolve('aborted');
          }),
        );
      },
      aborted: () => aborted,
      requestId: () => ctx.call()?.requestId,
      deny() {
        throw new Fault('PROBE_DENIED', { detail: 'not you', errors: ['one', 'two'], cause: new Error('secret reason') });
      },
      bug() {
        throw new TypeError('password=hunter2');
      },
      unsendable: () => ({ run: () => 1 }),
      bytes: (input) => input.map((byte) => byte + 1),
      moveBack: (length) => move(new Uint8Array(length).fill(7)),
      now: () => ctx.clock.now(),
      timer: (ms) => new Promise((resolve) => timers.push(ctx.clock.setTimeout(() => resolve(ctx.clock.now()), ms) as never)),
      version: (id) => ctx.versions?.read(id),
      report: (ready, note) => ctx.report({ ready, note }),
      logIt: (message) => ctx.log.info({ password: 'hunter2', value: 1 }, message),
      about: (peer, key) => ctx.peer<ProbeApi>(peer).about(key),
      ask: (peer, key, text) => ctx.peer<ProbeApi>(peer).at(key).echo(text),
      askSlow: (peer, key) => ctx.peer<ProbeApi>(peer).at(key).sleep(60_000),
      env: () => ({ ...process.env }),
      throwUncaught() {
        setTimeout(() => {
          throw new Error('boom');
        }, 1);
        return new Promise(() => {});
      },
      rejectUnhandled() {
        setTimeout(() => void Promise.reject(new Error('unhandled boom')), 1);
        return new Promise(() => {});
      },
      exhaustHeap() {
        const hoard: unknown[] = [];
        for (;;) hoard.push(Array.from({ length: 1_000 }, () => ({ filler: hoard.length })));
      },
      exit: () => process.exit(3),
    },
    stop: () => ctx.log.info({}, 'probe stopped'),
  };
});
