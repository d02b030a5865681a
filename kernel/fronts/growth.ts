// Starts a further front when those that run have been busy for some seconds, until there are as many as may be.
import { performance } from 'node:perf_hooks';
import { type Clock, elapsedMs } from '../clock.ts';
import { repeat } from '../repeat.ts';
import { idleMs } from '../runtime/measure/idle-time.ts';
import { PoolTime } from '../runtime/measure/pool-time.ts';

export interface Load {
  /** Part of the time in which the event loops of the fronts were busy, on average: 0 to 1. */
  readonly fronts: number;
  /** Cores that nothing on the machine used, but this process' pool. */
  readonly free: number;
  /** Cores that the threads of this process left, its fronts among them. What its pool used is left: that is work of the fronts, which more of them do themselves. */
  readonly left: number;
}

interface GrowthOptions {
  readonly clock: Clock;
  /** @returns the load since the last call */
  load(): Promise<Load>;
  /** Starts one more. @returns whether there may be others */
  grow(): Promise<boolean>;
  onFailure(error: unknown): void;
}

const LOOK_MS = 1_000;
/** Above it a look counts; below CALM, or with fewer cores than LEFT_CORES, those before it are forgotten. */
const BUSY = 0.85;
const CALM = 0.6;
const LOOKS = 3;
/** The cost of its start must not be taken for load, and what it relieves must show first. */
const LOOKS_AFTER_ONE = 10;
/**
 * A part of a core that is worth a thread: with a client on the same two cores, which leave half of one, two fronts serve a fifth more Encrypts than one
 * with a fifth more CPU for each. If other programs take more than that, one more front only takes time from them.
 */
const FREE_CORES = 0.35;
/**
 * A front takes nearly a whole core. With less, as where each request has work for the thread of an actor too, it takes time from that thread, and each wake-up
 * finds less to do: on two cores two fronts made 13 % fewer uses of keys in an HSM than one, with a third more CPU for each, and 8 % fewer keys.
 */
const LEFT_CORES = 0.88;

/** A front that has started stays: its connections would have to be ended, and a load that came once comes again. @returns a function that ends it */
export function growWhenBusy({ clock, load, grow, onFailure }: GrowthOptions): () => void {
  let looks = 0;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      const now = await load();
      const isUseless = now.fronts < CALM || now.left < LEFT_CORES;
      if (isUseless) looks = Math.min(looks, 0);
      if (looks < 0 || (!isUseless && now.fronts >= BUSY && now.free >= FREE_CORES)) looks += 1;
      if (looks < LOOKS) return;
      looks = LOOKS - LOOKS_AFTER_ONE;
      if (!(await grow())) end();
    } finally {
      isLooking = false;
    }
  };
  const end = repeat(clock, LOOK_MS, look, onFailure);
  return end;
}

/** @returns a function that tells how busy the event loop of this thread was since its last call: 0 to 1 */
export function loopMeter(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** @param cores that this process may use @returns a function that tells what was left of them since its last call */
export function coresMeter(cores: number): () => Omit<Load, 'fronts'> {
  const pool = new PoolTime();
  const read = () => {
    const { user, system } = process.cpuUsage();
    return { usedMs: (user + system) / 1_000, pooledMs: pool.ms(), idleMs: idleMs(), at: elapsedMs() };
  };
  let last = read();
  return () => {
    const now = read();
    const spentMs = Math.max(1, now.at - last.at);
    const inPool = (now.pooledMs - last.pooledMs) / spentMs;
    const left = cores - (now.usedMs - last.usedMs) / spentMs + inPool;
    const free = Math.min(left, (now.idleMs - last.idleMs) / spentMs + inPool);
    last = now;
    return { free, left };
  };
}
