// The limits that HTTPS and the listeners share, over all threads: connections, memory of requests and of answers, and turns of callers.
import { type Clock, elapsedMs } from '../clock.ts';
import type { KernelConfig } from '../config/sections.ts';
import { LIVE_VIEWS } from '../http/answer/live-views.ts';
import { type ConnectionLedgers, connectionLedgers } from '../http/connection/connections.ts';
import type { Listener } from '../listener/listener.ts';
import { cores } from '../runtime/runtime.ts';
import { Ledger } from '../shared/ledger.ts';
import type { SharedMemory } from '../shared/memory.ts';
import { Stalled } from '../stalled.ts';
import { SHARES_LEDGER, Shares } from './shares.ts';
import { Turns } from './turns.ts';

export interface FrontLimits {
  /** Bytes of request bodies and messages, from their arrival to their answer. */
  readonly requests: Shares;
  /** Bytes of answers until they are sent. */
  readonly answers: Shares;
  /** Live views that are open. */
  readonly live: Shares;
  readonly turns: Turns;
  readonly stalled: Stalled;
  /** Connections of HTTPS, and of each listener of another protocol by its name. */
  readonly connections: { readonly https: ConnectionLedgers; readonly listeners: ReadonlyMap<string, ConnectionLedgers> };
  /** Ends what a thread of a front held that has ended. */
  giveBack(thread: number): void;
  close(): void;
}

/** Part of all connections that the listeners of other protocols may have together. */
const LISTENERS_SHARE = 0.25;

/** @param shared memory of all threads; the main thread opens the limits first, even if it serves nothing */
export function frontLimits(
  { caller_memory, total_memory, write_timeout }: KernelConfig['http'],
  listeners: readonly Pick<Listener, 'name'>[],
  clock: Clock,
  { regions, bell }: SharedMemory,
): FrontLimits {
  const amounts = { each: caller_memory, total: total_memory };
  const held = new Ledger(regions, bell, 'requests', SHARES_LEDGER);
  const unsent = new Ledger(regions, bell, 'answers', SHARES_LEDGER);
  const answers = new Shares(amounts, unsent);
  // A view that is lost for others keeps its place until it hears of it.
  const views = new Ledger(regions, bell, 'live views', { items: 2 * LIVE_VIEWS.total, holders: 4 * LIVE_VIEWS.total, loses: 'largest' });
  const share = listeners.length === 0 ? 1 : 1 - LISTENERS_SHARE;
  const https = connectionLedgers(regions, bell, 'https', share);
  const others = new Map(listeners.map(({ name }) => [name, connectionLedgers(regions, bell, name, LISTENERS_SHARE / listeners.length)]));
  const ledgers = [held, unsent, views, ...[https, ...others.values()].flatMap(({ all, silent }) => [all, silent])];
  // A caller with slow requests gets half of the threads while there are other callers. Real time is used here, because the duration of requests is real.
  const turns = new Turns({ least: Math.max(1, Math.floor(cores / 2)), alone: cores, monotonic: elapsedMs }, regions, bell);
  const stalled = new Stalled({ clock, timeoutMs: write_timeout * 1_000, answers });
  return {
    ...{ requests: new Shares(amounts, held), answers, live: new Shares(LIVE_VIEWS, views), turns, stalled, connections: { https, listeners: others } },
    giveBack(thread) {
      regions.unlock(thread);
      for (const ledger of ledgers) ledger.giveBack(thread);
      turns.giveBack(thread);
    },
    close: () => stalled.close(),
  };
}
