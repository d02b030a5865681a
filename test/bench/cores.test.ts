// Cores for threads: the one that works is found by its time and gets a core of its own, and the others of its process keep theirs.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import { pin, pinEach } from '../../bench/cost/cores.ts';
import { threadCpuMsOf } from '../../bench/cost/process-cost.ts';

/** A process whose main thread waits while another one works. */
const WORKING = `const { Worker } = require('node:worker_threads');
const work = "const { parentPort } = require('node:worker_threads'); while (process.threadCpuUsage().user < 300000); parentPort.postMessage(0); for (;;);";
new Worker(work, { eval: true }).on('message', () => console.log('works'));`;

async function started(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', WORKING], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

const coresOf = (pid: number, thread: number) => /^Cpus_allowed_list:\s+(\S+)$/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))?.[1];

if (process.platform === 'linux')
  test('the thread of a process that works is pinned alone, and a process with all its threads', async () => {
    const child = await started();
    const pid = child.pid as number;
    try {
      const [busiest] = [...threadCpuMsOf(pid)].sort(([, a], [, b]) => b - a)[0] as [number, number];
      assert.notEqual(busiest, pid);
      const before = coresOf(pid, pid);
      pinEach([busiest]);
      assert.deepEqual([coresOf(pid, busiest), coresOf(pid, pid)], ['0', before]);
      pin([pid], before as string);
      assert.equal(coresOf(pid, busiest), before);
      assert.throws(() => pin([pid], 'no core'), /cannot be pinned/);
    } finally {
      child.kill('SIGKILL');
    }
    await new Promise((resolve) => child.once('exit', resolve));
    // It needs no core any more.
    pin([pid], '0');
  });

test.run();
