// Selects the test files that run a second time on PostgreSQL: those that start a key server or open its store, and do not test both databases themselves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POSTGRES_VARIABLE } from '../database.ts';
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

export interface SecondStore {
  /** Environment variables for the process of a file. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts one PostgreSQL for the whole run, in which each server of a test gets its own database. @returns undefined if PostgreSQL is not installed */
export async function startSecondStore(): Promise<SecondStore | undefined> {
  if (!SYSTEM_PACKAGES.find(({ name }) => name === 'postgresql')?.isPresent()) return undefined;
  const postgres: Postgres = await startPostgres();
  return { env: { [POSTGRES_VARIABLE]: await postgres.database() }, stop: () => postgres.stop() };
}
