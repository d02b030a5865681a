// Wraps a real actor so that a test can make its thread die, with the actor's own work in flight.
import type { Actor, ActorContext, ActorFactory, Api } from '../../kernel/actor.ts';

export type Death = 'throwUncaught' | 'rejectUnhandled' | 'exhaustHeap';

export type FragileApi = { [D in Death]: () => unknown };

/** The same actor with ways to die beside its methods. */
export function fragile<A extends Api, Args>(factory: ActorFactory<A, Args>): ActorFactory<A & FragileApi, Args> {
  return async (args: Args, ctx: ActorContext): Promise<Actor<A & FragileApi>> => {
    const actor = await factory(args, ctx);
    const deaths: FragileApi = {
      throwUncaught: () => {
        setTimeout(() => {
          throw new Error('boom');
        }, 1);
        return new Promise(() => {});
      },
      rejectUnhandled: () => {
        setTimeout(() => void Promise.reject(new Error('unhandled boom')), 1);
        return new Promise(() => {});
      },
      exhaustHeap: () => {
        const hoard: unknown[] = [];
        for (;;) hoard.push(Array.from({ length: 1_000 }, () => ({ filler: hoard.length })));
      },
    };
    return { ...actor, api: { ...actor.api, ...deaths } };
  };
}
