// The databases that store tests run on: SQLite always, PostgreSQL where its package is installed: that of the run, if there is one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, RUN_POSTGRES_VARIABLE } from './database.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { skipWithout } from './system.ts';

export interface TestDatabase {
  readonly dialect: 'sqlite' | 'postgres';
  /** Address of a fresh, empty database. */
  url(): Promise<string>;
  /** The test's own, if it asked for that. */
  readonly postgres?: Postgres;
  stop(): Promise<void>;
}

/** @param isOwn whether the test stops or changes its PostgreSQL, which then is used by nothing else */
export async function testDatabases({ isOwn = false } = {}): Promise<TestDatabase[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-store-'));
  let files = 0;
  const sqlite: TestDatabase = {
    dialect: 'sqlite',
    url: async () => `sqlite:${join(folder, `${++files}.db`)}`,
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
  if (skipWithout('postgresql')) return [sqlite];
  const ofRun = process.env[RUN_POSTGRES_VARIABLE];
  if (ofRun !== undefined && !isOwn) return [sqlite, { dialect: 'postgres', url: () => createDatabase(ofRun), stop: async () => {} }];
  const postgres = await startPostgres();
  return [sqlite, { dialect: 'postgres', url: () => postgres.database(), postgres, stop: () => postgres.stop() }];
}
