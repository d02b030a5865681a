// A thread that has the limits of a server, for tests: it does what the test asks, and answers.
import { parentPort, workerData } from 'node:worker_threads';
import { createClock } from '../../kernel/clock.ts';
import { createSignInLimit } from '../../kernel/http/caller/sign-in-limit.ts';
import { type Holding, Shares } from '../../kernel/limits/shares.ts';
import { type Leave, Turns } from '../../kernel/limits/turns.ts';
import { Bell } from '../../kernel/shared/bell.ts';
import { Ledger } from '../../kernel/shared/ledger.ts';
import { locked, Regions, type RegionsMemory } from '../../kernel/shared/region.ts';

export interface Limits {
  readonly regions: Regions;
  readonly shares: Shares;
  readonly crowd: Ledger;
  readonly ledger: Ledger;
  readonly turns: Turns;
  readonly mayTry: (address: string) => boolean;
}

export const BURST = 50;

export function limitsIn(regions: Regions, offset?: BigInt64Array): Limits {
  const bell = new Bell(regions);
  const ledger = new Ledger(regions, bell, 'shares', { items: 2_000, holders: 1_024, loses: 'largest' });
  const crowd = new Ledger(regions, bell, 'crowd', { items: 2_000, holders: 1_024, loses: 'oldest' });
  return {
    regions,
    ledger,
    crowd,
    shares: new Shares({ each: 100, total: 250 }, ledger),
    turns: new Turns({ least: 2, alone: 2, monotonic: () => 0 }, regions, bell),
    mayTry: createSignInLimit(0.001, BURST, { clock: createClock(offset), shared: regions }),
  };
}

export type Order =
  | { readonly kind: 'hold'; readonly name: string; readonly who: string; readonly amount: number }
  | { readonly kind: 'release'; readonly name: string }
  | { readonly kind: 'enter'; readonly who: string; readonly count: number }
  | { readonly kind: 'leave'; readonly count: number }
  | { readonly kind: 'try'; readonly address: string; readonly count: number }
  | { readonly kind: 'churn'; readonly rounds: number }
  | { readonly kind: 'figures' }
  | { readonly kind: 'die locked' };

export interface Figures {
  /** What was done: holdings that are held, turns that have begun, attempts that were admitted. */
  readonly done: number;
  readonly lost: readonly string[];
}

if (parentPort) {
  const port = parentPort;
  const { memory, thread, offset } = workerData as { memory: RegionsMemory; thread: number; offset: BigInt64Array };
  const limits = limitsIn(new Regions(memory.threads, thread, memory.memories), offset);
  const holdings = new Map<string, Holding>();
  const lost: string[] = [];
  const begun: Leave[] = [];
  const carryOut = (order: Order): number => {
    if (order.kind === 'hold') {
      const holding = limits.shares.open(order.who, () => lost.push(order.name));
      holdings.set(order.name, holding);
      return holding.set(order.amount) ? 1 : 0;
    }
    if (order.kind === 'release') holdings.get(order.name)?.release();
    if (order.kind === 'enter') for (let n = 0; n < order.count; n += 1) void Promise.resolve(limits.turns.enter(order.who)).then((leave) => begun.push(leave));
    if (order.kind === 'leave') for (const leave of begun.splice(0, order.count)) leave();
    if (order.kind === 'try') return Array.from({ length: order.count }, () => limits.mayTry(order.address)).filter(Boolean).length;
    if (order.kind === 'churn') churn(order.rounds, limits);
    if (order.kind === 'die locked') locked(limits.regions.open('shares', sizeOf(memory, 'shares')), () => process.exit(1));
    return begun.length;
  };
  port.on('message', (order: Order) => {
    const done = carryOut(order);
    setImmediate(() => port.postMessage({ done: order.kind === 'figures' ? begun.length : done, lost: [...lost] } satisfies Figures));
  });
}

/** Takes and gives as fast as it can; in the end it holds nothing. */
function churn(rounds: number, { shares, turns, crowd }: Limits): void {
  for (let round = 0; round < rounds; round += 1) {
    const who = `holder ${round % 7}`;
    const holding = shares.open(who, () => {});
    holding.set(1 + (round % 40));
    const leave = turns.enter(who);
    if (crowd.total < 0) throw new Error('nobody holds less than nothing');
    if (!(leave instanceof Promise)) leave();
    holding.release();
  }
}

function sizeOf(memory: RegionsMemory, name: string): { numbers: number; words: number } {
  return memory.memories.get(name) as { numbers: number; words: number };
}
