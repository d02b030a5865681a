// How quickly every list and search of the API answers when there are many rows; each has to answer within 200 ms.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Postgres, startPostgres } from '../test/postgres.ts';
import { fill, type Sizes } from './filling/fill.ts';
import { WITH_EMPTY } from './key-server.ts';
import { limitsOf } from './limits.ts';
import { parseOptions } from './options.ts';
import { cpuMsOf } from './process-cost.ts';
import { median, progress, report, round } from './report.ts';
import type { Row } from './results-file.ts';
import { type Asked, rowsAsked } from './rows-asked.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { slowPlan } from './slow-plan.ts';

/** For one answer, with everything on its way. */
const MOST_MS = 200;
/** PostgreSQL decides after five runs of a statement whether it keeps one plan for all parameters. */
const TURNS = 8;
/** What is slower is asked less often. */
const PATIENCE_MS = 2_000;

const options = parseOptions(process.argv.slice(2));
const { objects, audit } = options;
const sizes: Sizes = {
  ...{ objects, audit },
  users: Math.max(10_000, Math.floor(objects / 10)),
  sessions: Math.max(10_000, Math.floor(objects / 5)),
  machines: Math.max(10_000, Math.floor(objects / 5)),
  admins: Math.min(10_000, Math.max(1_000, Math.floor(objects / 100))),
};
const postgres: Postgres | undefined = options.store === 'postgres' ? await startPostgres() : undefined;
const url = (await postgres?.database()) ?? options.store;
const isPostgres = !url.startsWith('sqlite:');
const config = `${WITH_EMPTY}[keys.quotas]\nobjects_per_identity = 0\n[store]\nurl = ${JSON.stringify(url)}\n`;
const first = await startServerProcess(config, 1, { kept: options.folderOfServer });
const place = { url: isPostgres ? url : `sqlite:${join(first.dataDir, url.slice('sqlite:'.length))}`, dataDir: first.dataDir, rootKey: '' };
const rows: Row[] = [await filled()];
const server = await first.restart();
for (const asked of await rowsAsked(server, objects))
  if (options.only === undefined || asked.what.toLowerCase().includes(options.only.toLowerCase())) rows.push(await measured(server, asked));
await server.stop();
await postgres?.stop();
report(
  'rows',
  rows,
  limitsOf(
    rows,
    rows.slice(1).map(({ what }) => ({ what: String(what), column: 'ms', atMost: MOST_MS })),
  ),
);

async function filled(): Promise<Row> {
  const begun = performance.now();
  let toldAt = begun;
  await fill(place, sizes, (kind, there) => {
    if (performance.now() - toldAt > 10_000) {
      toldAt = performance.now();
      progress(`${there} of ${sizes[kind]} ${kind}`);
    }
    return true;
  });
  const seconds = round((performance.now() - begun) / 1_000);
  return { what: `filled, ${isPostgres ? 'PostgreSQL' : 'SQLite'}`, objects, 'audit rows': audit, seconds, MB: Math.round((await bytes()) / 1e6) };
}

async function bytes(): Promise<number> {
  if (!isPostgres) return statSync(place.url.slice('sqlite:'.length)).size;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: found } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
  await client.end();
  return Number(found[0]?.size);
}

async function measured({ ask, pid }: ServerProcess, { what, request }: Asked): Promise<Row> {
  const times: number[] = [];
  const cpuMs = cpuMsOf(pid);
  for (let turn = 0; turn < TURNS && times.reduce((sum, ms) => sum + ms, 0) < PATIENCE_MS; turn++) {
    const begun = performance.now();
    await ask(request);
    times.push(performance.now() - begun);
  }
  const eachCpuMs = (cpuMsOf(pid) - cpuMs) / times.length;
  const ms = median(times.length > 1 ? times.slice(1) : times);
  const plan = ms > MOST_MS && isPostgres ? await slowPlan(url, () => ask(request)) : undefined;
  if (ms > MOST_MS) progress(`${what}: ${round(ms)} ms${plan === undefined ? '' : `\n${plan}`}`);
  return {
    what: `${what}, ${isPostgres ? 'PostgreSQL' : 'SQLite'}`,
    ms: round(ms),
    'first ms': round(times[0] ?? Number.NaN),
    'CPU ms': round(eachCpuMs),
    ...(plan && { plan }),
  };
}
