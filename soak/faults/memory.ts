// The memory of a server is short: the system gives its process no more, and it has to go on, or to end and start again.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import type { Node } from '../node.ts';
import type { World } from '../world.ts';
import { type Fault, show } from './fault.ts';

const PROGRAM = 'prlimit';
/** What the process may take beside what it has. */
const ROOM_BYTES = 16 * 2 ** 20;
const BODY_BYTES = 512 * 1_024;
const [AT_ONCE, PAUSE_MS] = [12, 50] as const;

const limit = (pid: number, soft: string) => spawnSync(PROGRAM, ['--pid', String(pid), `--as=${soft}:`], { encoding: 'utf8' });

export const memoryShort: Fault = {
  name: 'memory-short',
  startsAnew: true,
  impossible: () =>
    spawnSync(PROGRAM, ['--version']).status === 0 ? undefined : 'without prlimit the memory of a process cannot be limited: apt-get install util-linux',
  async happen(world, ms) {
    const { node } = world.operator;
    const most = sizeOf(node.pid) + ROOM_BYTES;
    const { status, stderr } = limit(node.pid, String(most));
    if (status !== 0) throw new Error(`the memory of ${node.name} cannot be limited: ${stderr}`);
    const before = await node.hasMemory();
    await load(world, node, ms);
    // A node that is slow may not have answered at first.
    const isRefused = before === false || (await node.hasMemory()) === false;
    if (node.isRunning) limit(node.pid, 'unlimited');
    const hasEnded = !node.isRunning;
    if (hasEnded) await node.start();
    return show(
      isRefused || hasEnded,
      `the system refused ${node.name} further memory for ${ms} ms, and it ${hasEnded ? 'ended by itself and was started again' : 'went on'}`,
    );
  },
};

/** Large requests, for `ms` or until the process has ended. */
async function load({ operator }: World, node: Node, ms: number): Promise<void> {
  const body = 'A'.repeat(BODY_BYTES);
  let isOver = false;
  const asking = Array.from({ length: AT_ONCE }, async () => {
    for (; !isOver; await after(PAUSE_MS)) await operator.ask('large request', 'POST', '/login?realm=_', { body: { text: body } });
  });
  for (const end = performance.now() + ms; performance.now() < end && node.isRunning; ) await after(PAUSE_MS);
  isOver = true;
  await Promise.all(asking);
}

/** Of the address space, bytes; 0 if it has ended. */
function sizeOf(pid: number): number {
  try {
    return 1_024 * Number(/^VmSize:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
