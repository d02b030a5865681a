// The servers that share a database for a test: two on PostgreSQL, one on SQLite, of which there is one node only.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startServer, type TestServer, type TestServerOptions, temporaryFolder } from './server.ts';
import type { TestDatabase } from './stores.ts';

export interface Nodes {
  readonly one: TestServer;
  /** The same as `one` on SQLite. */
  readonly other: TestServer;
  readonly storeUrl: string;
  /** Moves the time of both. */
  advance(ms: number): Promise<void>;
  end(): Promise<void>;
}

export async function startNodes(database: TestDatabase, { config = '', ...options }: TestServerOptions = {}): Promise<Nodes> {
  if (database.dialect === 'sqlite') {
    const one = await startServer({ ...options, config });
    const storeUrl = `sqlite:${join(one.dataDir, 'gatehouse.db')}`;
    return { one, other: one, storeUrl, advance: async (ms) => void (await one.runtime.advance(ms)), end: () => one.end() };
  }
  const storeUrl = await database.url();
  const shared = { ...options, config: `${config}\n[store]\nurl = "${storeUrl}"\n` };
  const one = await startServer(shared);
  // They open the same data keys.
  const dataDir = join(temporaryFolder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  copyFileSync(join(one.dataDir, 'root.key'), join(dataDir, 'root.key'));
  const other = await startServer({ ...shared, dataDir });
  return {
    one,
    other,
    storeUrl,
    async advance(ms) {
      await Promise.all([one.runtime.advance(ms), other.runtime.advance(ms)]);
    },
    async end() {
      await other.end();
      await one.end();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
