// The database fails over: its server is lost, the address of the nodes leads to the standby, which takes no writes at first and is promoted then.
import { setTimeout as after } from 'node:timers/promises';
import type { Database } from '../database.ts';
import { allTell } from './database.ts';
import { comes, type Fault, onlyOn, show } from './fault.ts';

/** The standby copies the rows first. */
const SYNCHRONOUS_MS = 60_000;
const READ_ONLY = /the database is read-only/;

export const databaseFailsOver: Fault = {
  name: 'database-fails-over',
  startsAnew: false,
  impossible: onlyOn('postgres'),
  async happen(world, ms) {
    const { postgres, query } = world.database as Database;
    const history = async () => Number((await query("SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS line"))[0]?.['line']);
    const before = await history();
    const standby = await postgres.standby();
    try {
      await setSynchronous(query, '*');
      const isSynchronous = await comes(
        async () => (await query("SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'")).length > 0,
        SYNCHRONOUS_MS,
      );
      if (!isSynchronous) throw new Error('the standby does not follow');
    } catch (error) {
      await setSynchronous(query, '');
      throw error;
    }
    await postgres.crash();
    for (const wire of world.wires) {
      wire.lead(standby.port);
      wire.hangUp();
    }
    const isTold = await allTell(world, 'the database takes no writes', READ_ONLY);
    await after(ms);
    await standby.promote();
    const isPromoted = await comes(async () => (await history()) > before, SYNCHRONOUS_MS);
    return show(
      isTold && isPromoted,
      `the server was lost, /ready of all nodes said that the database is read-only, and its standby took the writes ${ms} ms later`,
    );
  },
};

/** What was answered is on both servers. The copy was made before, and waits for nobody once it is promoted. */
async function setSynchronous(query: Database['query'], names: '*' | ''): Promise<void> {
  await query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await query('SELECT pg_reload_conf()');
}
