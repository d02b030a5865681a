// The databases that store tests run on: SQLite always, PostgreSQL where its package is installed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, startPostgres } from './postgres.ts';
import { skipWithout } from './system.ts';

export interface TestDatabase {
  readonly dialect: 'sqlite' | 'postgres';
  /** Address of a fresh, empty database. */
  url(): Promise<string>;
  readonly postgres?: Postgres;
  stop(): Promise<void>;
}

export async function testDatabases(): Promise<TestDatabase[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-store-'));
  let files = 0;
  const sqlite: TestDatabase = {
    dialect: 'sqlite',
    url: async () => `sqlite:${join(folder, `${++files}.db`)}`,
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
  if (skipWithout('postgresql')) return [sqlite];
  const postgres = await startPostgres();
  return [sqlite, { dialect: 'postgres', url: () => postgres.database(), postgres, stop: () => postgres.stop() }];
}
