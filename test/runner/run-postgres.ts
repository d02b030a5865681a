// The PostgreSQL of a run, and which test files run a second time on it: those that start a key server or open its store, and do not test both databases themselves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POSTGRES_VARIABLE, RUN_POSTGRES_VARIABLE } from '../database.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { SYSTEM_PACKAGES } from '../system.ts';

const FOLDERS =
  /^test\/(?:(?:actors\/kmip|plugins\/keys)\/|kernel\/runtime\/processes\.test\.ts$|plugins\/hsm\/keys\.test\.ts$|plugins\/ai\/(?:references|roles|sealed|vectors)\.test\.ts$|e2e\/tracing\.test\.ts$)/;
/** Imports of `postgresDatabase` in test/database.ts, or of modules that use it. */
const STARTS = /from '[./]+\/(?:server|secure-server|hsm-server|key-server|key-holder|database)\.ts'/;
const GOES_THROUGH = /from '[./]+\/stores\.ts'/;

export function runsOnBoth(root: string, file: string): boolean {
  if (!FOLDERS.test(file)) return false;
  const text = readFileSync(join(root, file), 'utf8');
  return STARTS.test(text) && !GOES_THROUGH.test(text);
}

/** Whether it takes databases of the run's PostgreSQL, in its only run or in a second one. */
export function wantsPostgres(root: string, file: string): boolean {
  return runsOnBoth(root, file) || GOES_THROUGH.test(readFileSync(join(root, file), 'utf8'));
}

export interface RunPostgres {
  /** Environment variables for the process of a file. @param isSecond whether it runs the file a second time */
  env(isSecond: boolean): Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

let starting: Promise<Postgres> | undefined;

/** For a runner that is stopped: the server is a process of its own, which nobody else ends. */
export async function endRunPostgres(): Promise<void> {
  await (await starting)?.stop();
}

/** Starts one PostgreSQL for the whole run, in which each server of a test gets its own database. @returns undefined if PostgreSQL is not installed */
export async function startRunPostgres(): Promise<RunPostgres | undefined> {
  if (!SYSTEM_PACKAGES.find(({ name }) => name === 'postgresql')?.isPresent()) return undefined;
  starting = startPostgres();
  const postgres = await starting;
  const address = await postgres.database();
  return {
    env: (isSecond) => ({ [RUN_POSTGRES_VARIABLE]: address, ...(isSecond && { [POSTGRES_VARIABLE]: address }) }),
    stop: () => postgres.stop(),
  };
}
