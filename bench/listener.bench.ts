// What an Encrypt costs on the KMIP listener: each connection sends its next message when the last one is answered. The load generator runs on Node and shares the cores with the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMsOf } from './cost/process-cost.ts';
import { parseOptions } from './options.ts';
import { median, percentile, progress, report, round } from './report/report.ts';
import { WITH_EMPTY } from './server/key-server.ts';
import { kmipListener } from './server/kmip-listener.ts';
import { startServerProcess } from './server/server-process.ts';

/** Of one number of connections in one turn. */
interface Turn {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly times: readonly number[];
}

const options = parseOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-listener-'));
const listener = await kmipListener(folder);
const server = await startServerProcess(`${listener.config}${WITH_EMPTY}`, 4);
const rows = [];
for (const connections of options.connections) {
  const opened = await Promise.all(Array.from({ length: connections }, () => listener.connect(server)));
  const encrypts = await Promise.all(opened.map((each) => each.encrypt()));
  await turn(encrypts, 2);
  const turns: Turn[] = [];
  for (let done = 0; done < options.rounds; done += 1) turns.push(await turn(encrypts, options.seconds));
  for (const each of opened) each.close();
  const of = (figure: (turn: Turn) => number, digits = 0) => round(median(turns.map(figure)), digits);
  const cost = { 'requests/s': of(({ perSecond }) => perSecond), 'CPU us': of(({ cpuUs }) => cpuUs) };
  const times = { 'p50 ms': of(({ times }) => percentile(times, 0.5), 2), 'p99 ms': of(({ times }) => percentile(times, 0.99), 2) };
  rows.push({ what: 'Encrypt, KMIP listener', connections, ...cost, ...times });
  progress(`${connections} connections`);
}
await server.stop();
rmSync(folder, { recursive: true });
report('listener', rows, []);

async function turn(encrypts: readonly (() => Promise<void>)[], seconds: number): Promise<Turn> {
  const [began, before] = [performance.now(), cpuMsOf(server.pid)];
  const times: number[] = [];
  const drive = async (encrypt: () => Promise<void>) => {
    for (let at = performance.now(); at < began + seconds * 1_000; at = performance.now()) {
      await encrypt();
      times.push(performance.now() - at);
    }
  };
  await Promise.all(encrypts.map(drive));
  const perSecond = times.length / ((performance.now() - began) / 1_000);
  return { perSecond, cpuUs: ((cpuMsOf(server.pid) - before) * 1_000) / times.length, times };
}
