// Measures the cost of an actor call: a call of the kernel, and a bare batched port as the limit of what it can be.
import { MessageChannel, Worker } from 'node:worker_threads';
import { pinned } from '../kernel/actor.ts';
import { createRuntime } from '../test/runtime.ts';
import type { EchoApi } from './fakes/echo.actor.ts';
import { median, report, round } from './report/report.ts';

type Echo = (text: string) => Promise<unknown>;

const IN_FLIGHT = [1, 8, 64];
const RUNS = 5;
const RUN_MS = 700;
const LIMIT_US = 25;

const worker = new Worker(new URL('./fakes/raw-worker.ts', import.meta.url));
const { runtime, ref } = createRuntime({
  echo: pinned<EchoApi, null>({ module: new URL('./fakes/echo.actor.ts', import.meta.url), deadlineMs: 10_000, instances: { a: null } }),
});
await runtime.start();
const kernel = ref('echo').at('a');
const subjects: Readonly<Record<string, Echo>> = {
  'kernel call': (text) => kernel.echo(text),
  'bare batched port': bare(),
};

const rows = [];
let kernelAt64 = Number.NaN;
for (const [name, echo] of Object.entries(subjects)) {
  for (const inFlight of IN_FLIGHT) {
    await measure(echo, inFlight, 300);
    const runs = [];
    for (let run = 0; run < RUNS; run++) runs.push(await measure(echo, inFlight, RUN_MS));
    const cpuUs = median(runs.map((run) => run.cpuUs));
    if (name === 'kernel call' && inFlight === 64) kernelAt64 = cpuUs;
    rows.push({ call: name, 'in flight': inFlight, 'calls/s': Math.round(median(runs.map((run) => run.perSecond))), 'CPU us/call': round(cpuUs) });
  }
}
report('actor-call', rows, [
  { limit: `CPU of a kernel call at 64 in flight, at most ${LIMIT_US} us`, value: round(kernelAt64), holds: kernelAt64 <= LIMIT_US },
]);
await runtime.stop();
process.exit(0);

/** Measures the CPU time of the whole process: both threads and garbage collection. */
async function measure(echo: Echo, inFlight: number, ms: number): Promise<{ perSecond: number; cpuUs: number }> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let calls = 0;
  const caller = async () => {
    while (performance.now() - startedAt < ms) {
      await echo('hello');
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (calls / (performance.now() - startedAt)) * 1000, cpuUs: (user + system) / calls };
}

/** Without deadlines, queue bounds and request ids: numbered messages, with all messages of one tick in one array. */
function bare(): Echo {
  const { port1: port, port2 } = new MessageChannel();
  worker.postMessage({ port: port2 }, [port2]);
  const waiting = new Map<number, (value: unknown) => void>();
  let batch: { id: number; text: string }[] = [];
  let next = 0;
  port.on('message', (replies: { id: number; text: string }[]) => {
    for (const { id, text } of replies) {
      waiting.get(id)?.(text);
      waiting.delete(id);
    }
  });
  return (text) =>
    new Promise((resolve) => {
      next += 1;
      waiting.set(next, resolve);
      if (batch.length === 0) {
        setImmediate(() => {
          port.postMessage(batch);
          batch = [];
        });
      }
      batch.push({ id: next, text });
    });
}
