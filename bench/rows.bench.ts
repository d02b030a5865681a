// How quickly every list and search of the API answers when there are many rows; each has to answer within 200 ms.
import { databaseCost, spentSince } from './cost/database-cost.ts';
import { cpuMsOf } from './cost/process-cost.ts';
import { slowPlan } from './cost/slow-plan.ts';
import { parseOptions } from './options.ts';
import { limitsOf } from './report/limits.ts';
import { median, progress, report, round } from './report/report.ts';
import type { Row } from './report/results-file.ts';
import { startFilled } from './server/filled-server.ts';
import type { ServerProcess } from './server/server-process.ts';
import { type Asked, rowsAsked } from './views/rows-asked.ts';

/** For one answer, with everything on its way. */
const MOST_MS = 200;
/** PostgreSQL decides after five runs of a statement whether it keeps one plan for all parameters. */
const TURNS = 8;
/** What is slower is asked less often. */
const PATIENCE_MS = 2_000;

const options = parseOptions(process.argv.slice(2));
const filled = await startFilled(options);
const { server, url, isPostgres } = filled;
const rows: Row[] = [filled.row];
for (const asked of await rowsAsked(server, options.objects))
  if (options.only === undefined || asked.what.toLowerCase().includes(options.only.toLowerCase())) rows.push(await measured(server, asked));
await filled.stop();
report(
  'rows',
  rows,
  limitsOf(
    rows,
    rows.slice(1).map(({ what }) => ({ what: String(what), column: 'ms', atMost: MOST_MS })),
  ),
);

async function measured({ ask, pid }: ServerProcess, { what, request }: Asked): Promise<Row> {
  const times: number[] = [];
  const cpuMs = cpuMsOf(pid);
  const before = isPostgres ? await databaseCost(url) : undefined;
  for (let turn = 0; turn < TURNS && times.reduce((sum, ms) => sum + ms, 0) < PATIENCE_MS; turn++) {
    const begun = performance.now();
    await ask(request);
    times.push(performance.now() - begun);
  }
  const eachCpuMs = (cpuMsOf(pid) - cpuMs) / times.length;
  const ofDatabase = before && spentSince(before, await databaseCost(url)) / times.length;
  const ms = median(times.length > 1 ? times.slice(1) : times);
  const plan = ms > MOST_MS && isPostgres ? await slowPlan(url, () => ask(request)) : undefined;
  if (ms > MOST_MS) progress(`${what}: ${round(ms)} ms${plan === undefined ? '' : `\n${plan}`}`);
  return {
    what: `${what}, ${isPostgres ? 'PostgreSQL' : 'SQLite'}`,
    ms: round(ms),
    'first ms': round(times[0] ?? Number.NaN),
    'CPU ms': round(eachCpuMs),
    ...(ofDatabase !== undefined && { 'database CPU ms': round(ofDatabase) }),
    ...(plan && { plan }),
  };
}
