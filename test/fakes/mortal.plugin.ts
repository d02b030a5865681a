// A plugin whose routes say which thread serves them, take their time, and end that thread in several ways.
import { setTimeout as wait } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

const open = { method: 'GET', auth: 'none', tag: 'mortal' } as const;
const ok = (body: unknown) => ({ status: 200, body });

/** Calls of its actor that may wait or run, over all fronts. */
export const MAX_QUEUE = 8;

export default {
  name: 'mortal',
  config: { type: 'object', properties: {}, additionalProperties: false, default: {} },
  actors: () => ({
    one_by_one: { kind: 'replicated', module: new URL('./one-by-one.actor.ts', import.meta.url), size: 1, args: null, maxQueue: MAX_QUEUE, deadlineMs: 30_000 },
  }),
  routes: ({ actors }: { readonly actors: { readonly one_by_one: { work(): Promise<number> } } }) => [
    { ...open, path: '/thread', summary: 'Say which thread serves this', handle: () => ok(threadId) },
    { ...open, path: '/work', summary: 'Have the actor work, which takes one call at a time', handle: async () => ok(await actors.one_by_one.work()) },
    {
      ...open,
      path: '/slow',
      summary: 'Answer after a second',
      async handle() {
        await wait(1_000);
        return ok(threadId);
      },
    },
    {
      ...open,
      path: '/throw',
      summary: 'Throw where nobody catches',
      handle() {
        setImmediate(() => {
          throw new Error('nobody catches this');
        });
        return new Promise(() => {});
      },
    },
    {
      ...open,
      path: '/loop',
      summary: 'Never come back',
      handle() {
        for (;;);
      },
    },
    {
      ...open,
      path: '/exhaust',
      summary: 'Use up the heap',
      handle() {
        const held: unknown[] = [];
        for (;;) held.push(new Array(100_000).fill(held.length));
      },
    },
  ],
};
