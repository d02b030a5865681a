// Specs of the probe actor.
import { type PinnedSpec, pinned, type ReplicatedSpec, replicated, type ShardedSpec, sharded } from '../../kernel/actor.ts';
import type { ProbeApi, ProbeArgs } from './probe.actor.ts';

const module = new URL('./probe.actor.ts', import.meta.url);
/** Fast enough for a test, slow enough to be seen. */
const restart = { max: 3, withinMs: 60_000, firstDelayMs: 20, maxDelayMs: 100, retryMs: 60_000 };
/** What a call may have to wait for the start of a thread on a machine that is busy; tests of deadlines give their own. */
const DEADLINE_MS = 60_000;

type Common = Partial<
  Pick<
    PinnedSpec<ProbeApi, ProbeArgs>,
    'deadlineMs' | 'maxQueue' | 'onDeadline' | 'restart' | 'memoryMb' | 'peers' | 'start' | 'isolated' | 'about' | 'beside' | 'sharedThread' | 'process'
  >
>;

export function pinnedProbe(instances: Record<string, ProbeArgs>, options: Common = {}): PinnedSpec<ProbeApi, ProbeArgs> {
  return pinned({ module, deadlineMs: DEADLINE_MS, restart, memoryMb: 64, instances, ...options });
}

export function shardedProbe(shards: number, options: Common = {}): ShardedSpec<ProbeApi, ProbeArgs> {
  return sharded({ module, deadlineMs: DEADLINE_MS, restart, memoryMb: 64, shards, args: {}, ...options });
}

export function replicatedProbe(size: number, options: Common & { prefetch?: number; spare?: boolean } = {}): ReplicatedSpec<ProbeApi, ProbeArgs> {
  return replicated({ module, deadlineMs: DEADLINE_MS, restart, memoryMb: 64, size, args: {}, ...options });
}
