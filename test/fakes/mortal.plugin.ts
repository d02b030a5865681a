// A plugin whose routes say which thread serves them, take their time, and end that thread in several ways.
import { setTimeout as wait } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

const open = { method: 'GET', auth: 'none', tag: 'mortal' } as const;
const ok = (body: unknown) => ({ status: 200, body });

export default {
  name: 'mortal',
  config: { type: 'object', properties: {}, additionalProperties: false, default: {} },
  routes: () => [
    { ...open, path: '/thread', summary: 'Say which thread serves this', handle: () => ok(threadId) },
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
      path: '/exhaust',
      summary: 'Use up the heap',
      handle() {
        const held: unknown[] = [];
        for (;;) held.push(new Array(100_000).fill(held.length));
      },
    },
  ],
};
