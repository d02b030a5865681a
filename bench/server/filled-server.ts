// Starts a server over a store with as many rows as the options say, for the questions that look at many rows.
import { statSync } from 'node:fs';
import pg from 'pg';
import { databaseFile, storeUrl } from '../../kernel/store/store-url.ts';
import { type Postgres, startPostgres } from '../../test/postgres.ts';
import { fill, type Place, type Sizes } from '../filling/fill.ts';
import type { BenchOptions } from '../options.ts';
import { progress, round } from '../report/report.ts';
import type { Row } from '../report/results-file.ts';
import { WITH_EMPTY } from './key-server.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

export interface FilledServer {
  readonly server: ServerProcess;
  /** What was filled, how long it took and how large it is. */
  readonly row: Row;
  readonly url: string;
  readonly isPostgres: boolean;
  stop(): Promise<void>;
}

/** Of the other kinds of rows there are as many as a place with so many objects has, and 10 000 at least. */
const sizesOf = ({ objects, audit }: BenchOptions): Sizes => ({
  ...{ objects, audit },
  users: Math.max(10_000, Math.floor(objects / 10)),
  sessions: Math.max(10_000, Math.floor(objects / 5)),
  machines: Math.max(10_000, Math.floor(objects / 5)),
  admins: Math.min(10_000, Math.max(1_000, Math.floor(objects / 100))),
});

/** The server is started anew after the filling, so that it has cached nothing. @param sizes other numbers of rows than the options say */
export async function startFilled(options: BenchOptions, sizes: Sizes = sizesOf(options)): Promise<FilledServer> {
  const postgres: Postgres | undefined = options.store === 'postgres' ? await startPostgres() : undefined;
  const url = (await postgres?.database()) ?? options.store;
  const isPostgres = databaseFile(url) === undefined;
  const config = `${WITH_EMPTY}[keys.quotas]\nobjects_per_identity = 0\n[store]\nurl = ${JSON.stringify(url)}\n`;
  const first = await startServerProcess(config, 1, { kept: options.folderOfServer });
  const place = { url: storeUrl(url, first.dataDir), dataDir: first.dataDir, rootKey: '' };
  const { seconds, there } = await filled(place, sizes);
  const MB = Math.round((await bytesOf(place)) / 1e6);
  const row = { what: `filled, ${isPostgres ? 'PostgreSQL' : 'SQLite'}`, objects: there.objects, 'audit rows': there.audit, seconds, MB };
  const server = await first.restart();
  const stop = async () => {
    await server.stop();
    await postgres?.stop();
  };
  return { server, row, url, isPostgres, stop };
}

/** @returns what is there now */
async function filled(place: Place, sizes: Sizes): Promise<{ readonly seconds: number; readonly there: Sizes }> {
  const begun = performance.now();
  let toldAt = begun;
  const there = await fill(place, sizes, (kind, now) => {
    if (performance.now() - toldAt > 10_000) {
      toldAt = performance.now();
      progress(`${now} of ${sizes[kind]} ${kind}`);
    }
    return true;
  });
  return { seconds: round((performance.now() - begun) / 1_000), there };
}

async function bytesOf({ url }: Place): Promise<number> {
  const file = databaseFile(url);
  if (file !== undefined) return statSync(file).size;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: found } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
  await client.end();
  return Number(found[0]?.size);
}
