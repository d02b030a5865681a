// Threads of a server end as by a defect: one of an actor, and one that serves requests.
import { always, comes, type Fault, show } from './fault.ts';

const ACTORS = ['session', 'token', 'kmip', 'directory', 'tokenize', 'text'] as const;
const COUNTED_MS = 10_000;

function threadDies(name: string, jobs: readonly string[], metric: string): Fault {
  return {
    name,
    startsAnew: false,
    impossible: always,
    async happen(world) {
      const node = world.random.pick(world.nodes);
      const before = await node.metric(metric);
      for (const job of world.random.shuffled(jobs)) {
        const thread = await node.killThread(job);
        if (thread === undefined) continue;
        const isCounted = await comes(async () => (await node.metric(metric)) > before, COUNTED_MS);
        return show(isCounted, `thread ${thread} of ${node.name} with ${job} died, and ${metric} is more than ${before}`);
      }
      throw new Error(`${node.name} has no such thread`);
    },
  };
}

export const actorKilled = threadDies('actor-killed', ACTORS, 'gatehouse_actor_restarts_total');
export const frontKilled = threadDies('front-killed', ['front-thread'], 'gatehouse_front_restarts_total');
