// A server that has been busy and then had no clients: what its first second costs after the rest, in which V8 has collected its garbage.
import { cpuMsOf, memoryMbOf } from './cost/process-cost.ts';
import { drive } from './load/generator.ts';
import { json, memberOf } from './load/kmip-json.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { median, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { AES, encryptBy, WITH_EMPTY } from './server/key-server.ts';
import { startServerProcess } from './server/server-process.ts';

const CONNECTIONS = 16;
/** Until the code of requests is compiled, also for the fronts that start meanwhile. */
const BUSY_SECONDS = 12;
/** V8 collects some eight seconds after the last request, and again after as long. */
const REST_MS = 25_000;
/** Each with a server of its own: in a second rest there is little left to collect. */
const MOST_ROUNDS = 3;

interface Second {
  readonly perSecond: number;
  readonly cpuUs: number;
}

interface Turn {
  readonly busy: Second;
  readonly rested: Second;
  /** Of the server before and after the rest. */
  readonly busyMb: number;
  readonly restedMb: number;
}

const options = parseOptions(process.argv.slice(2));
const turns: Turn[] = [];
for (let count = 1; count <= Math.min(options.rounds, MOST_ROUNDS); count += 1) {
  turns.push(await turn());
  progress(`server ${count}`);
}
const rows = rowsOf(turns);
report('rested', rows, limitsOf(rows));

async function turn(): Promise<Turn> {
  const server = await startServerProcess(WITH_EMPTY, 4);
  const request = json(server.cookie, encryptBy(memberOf(await server.ask(json(server.cookie, AES)), 'UniqueIdentifier')));
  const second = async (): Promise<Second> => {
    const before = cpuMsOf(server.pid);
    const { requests, perSecond } = await drive({ ...server, request, connections: CONNECTIONS, seconds: 1 });
    return { perSecond, cpuUs: ((cpuMsOf(server.pid) - before) * 1_000) / requests };
  };
  await drive({ ...server, request, connections: CONNECTIONS, seconds: BUSY_SECONDS });
  const busy = await second();
  const busyMb = memoryMbOf([server.pid]);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const restedMb = memoryMbOf([server.pid]);
  const rested = await second();
  await server.stop();
  return { busy, rested, busyMb, restedMb };
}

function rowsOf(all: readonly Turn[]): Row[] {
  const of = (read: (each: Turn) => number) => median(all.map(read));
  const row = (what: string, which: 'busy' | 'rested', mb: 'busyMb' | 'restedMb') => ({
    ...{ what, connections: CONNECTIONS, 'requests/s': Math.round(of((each) => each[which].perSecond)) },
    ...{ 'CPU us': Math.round(of((each) => each[which].cpuUs)), MB: Math.round(of((each) => each[mb])) },
  });
  const more = round(
    of(({ busy, rested }) => rested.cpuUs / busy.cpuUs),
    2,
  );
  return [row('Encrypt, busy', 'busy', 'busyMb'), { ...row('Encrypt, after a rest', 'rested', 'restedMb'), 'CPU of busy': more }];
}
