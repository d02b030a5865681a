// How long `npm start` takes the first and the second time, what it costs, what it leaves running, and how quickly a lost actor is back.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boot } from '../kernel/start/boot.ts';
import { BUILT_IN } from '../plugins/index.ts';
import { cpuMsOf, memoryMbOf, treeOf } from './cost/process-cost.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { median, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Until what a start leaves behind has settled: the self-tests and warm-ups of all threads have ended. */
const IDLE_MS = 20_000;

const options = parseOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
// A cache of its own: the first start finds nothing compiled.
const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
const first = await start(false);
const later: Started[] = [];
for (let turn = 1; turn <= options.rounds; turn++) {
  later.push(await start(turn === options.rounds));
  progress(`start ${turn} of ${options.rounds}`);
}
const rows: Row[] = [
  { what: 'first start', ms: Math.round(first.ms), 'CPU ms': first.cpuMs },
  { what: 'second start', ms: Math.round(median(later.map(({ ms }) => ms))), 'CPU ms': median(later.map(({ cpuMs }) => cpuMs)) },
  { what: 'idle', MB: round(later.at(-1)?.idleMb ?? Number.NaN), processes: later.at(-1)?.processes ?? 0 },
  ...(await restarts()),
];
rmSync(folder, { recursive: true, force: true });
report('start', rows, limitsOf(rows));

interface Started {
  readonly ms: number;
  /** Of all processes, until the server is ready. */
  readonly cpuMs: number;
  readonly idleMb: number;
  readonly processes: number;
}

async function start(isIdle: boolean): Promise<Started> {
  const startedAt = performance.now();
  // In a group of its own, so that all that it starts can be ended.
  const child = spawn('npm', ['start', '--silent', '--', '--data-dir', join(folder, 'data'), '--port', '0'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await ready(child);
  const ms = performance.now() - startedAt;
  const cpuMs = treeOf(child.pid as number).reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  if (isIdle) await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const tree = treeOf(child.pid as number);
  const idleMb = memoryMbOf(tree);
  const server = tree.at(-1) as number;
  const ended = new Promise((resolve) => child.on('exit', resolve));
  process.kill(server, 'SIGTERM');
  await ended;
  return { ms, cpuMs, idleMb, processes: tree.length };
}

function ready({ stdout, ...child }: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    stdout?.on('data', (data) => {
      text += data;
      if (/is ready at https:/.test(text)) resolve();
    });
    stdout?.on('end', () => reject(new Error(`the server ended: ${text} ${child.exitCode}`)));
  });
}

/** From the end of each actor's first thread to its next run, in a server in this process. */
async function restarts(): Promise<Row[]> {
  const argv = ['--data-dir', join(folder, 'data'), '--port', '0'];
  const server = await boot({ plugins: BUILT_IN, version: 'bench', argv, env: {}, logTo: { write: () => {} } });
  const found: Row[] = [];
  for (const { name, supervisors } of server.runtime.groups.values()) {
    const [supervisor] = supervisors;
    supervisor?.dispatcher.wake();
    while (supervisor?.state === 'starting') await new Promise((resolve) => setTimeout(resolve, 1));
    if (supervisor?.incarnation === undefined) continue;
    const { incarnation } = supervisor;
    const startedAt = performance.now();
    await incarnation.kill();
    while (supervisor.incarnation === undefined || supervisor.incarnation === incarnation || supervisor.state !== 'running')
      await new Promise((resolve) => setTimeout(resolve, 1));
    found.push({ what: `restart of ${name}`, ms: Math.round(performance.now() - startedAt) });
  }
  await server.stop();
  return found;
}
