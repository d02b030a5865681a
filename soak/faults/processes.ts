// The process of a server is killed at any moment, or does not run for a while, as on a machine that is moved.
import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { always, type Fault, show } from './fault.ts';

export const nodeKilled: Fault = {
  name: 'node-killed',
  startsAnew: true,
  impossible: always,
  async happen({ nodes, random }) {
    const node = random.pick(nodes);
    const before = node.pid;
    await node.signal('SIGKILL');
    const isGone = !node.isRunning;
    await node.start();
    return show(isGone && node.pid !== before, `${node.name} was killed and started again: process ${before} is now ${node.pid}`);
  },
};

const STOPPED = /^State:\tT/m;

export const nodeStopped: Fault = {
  name: 'node-stopped',
  startsAnew: false,
  impossible: always,
  async happen({ nodes, random }, ms) {
    const node = random.pick(nodes);
    await node.signal('SIGSTOP');
    try {
      await after(ms / 2);
      const state = readFileSync(`/proc/${node.pid}/status`, 'utf8');
      const asked = node.ready();
      await after(ms / 2);
      const silent = await Promise.race([asked.then(({ status }) => status === 0), after(1, true)]);
      return show(STOPPED.test(state) && silent, `${node.name} stood still for ${ms} ms and answered nothing`);
    } finally {
      await node.signal('SIGCONT');
    }
  },
};
