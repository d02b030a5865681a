// The database of the nodes stands still, or crashes and starts again; the connections that listen are cut.
import { setTimeout as after } from 'node:timers/promises';
import type { Database } from '../database.ts';
import { signalAll } from '../process-tree.ts';
import type { World } from '../world.ts';
import { comes, type Fault, onlyOn, show } from './fault.ts';

const impossible = onlyOn('postgres');
/** /ready tells within this time that the database is lost. */
const TOLD_MS = 5_000;

/** Whether /ready of all nodes answers 503 in time. @param says what they say to it */
export async function allTell({ nodes, tally }: World, what: string, says = /./): Promise<boolean> {
  const isTold = await comes(
    async () => (await Promise.all(nodes.map((node) => node.ready()))).every(({ status, text }) => status === 503 && says.test(text)),
    TOLD_MS,
  );
  if (!isTold) tally.wrong('the server works again after each fault', `/ready does not tell within ${TOLD_MS} ms that ${what}`);
  return isTold;
}

export const databaseStopped: Fault = {
  name: 'database-stopped',
  startsAnew: false,
  impossible,
  async happen(world, ms) {
    const { postgres, query } = world.database as Database;
    const stopped = postgres.pid();
    signalAll(stopped, 'SIGSTOP');
    try {
      const asked = query('SELECT 1').then(
        () => false,
        () => true,
      );
      const isTold = await allTell(world, 'the database stands still');
      await after(ms);
      const isSilent = await Promise.race([asked, after(1, true)]);
      return show(isSilent && isTold, `PostgreSQL answered nothing for more than ${ms} ms, and /ready of all nodes 503`);
    } finally {
      signalAll(stopped, 'SIGCONT');
    }
  },
};

export const databaseRestarted: Fault = {
  name: 'database-restarted',
  startsAnew: false,
  impossible,
  async happen(world, ms) {
    const { postgres, query } = world.database as Database;
    const since = async () => String((await query('SELECT pg_postmaster_start_time()::text AS at'))[0]?.['at']);
    const before = await since();
    await postgres.crash();
    await after(ms);
    await postgres.start();
    const now = await since();
    return show(now !== before, `PostgreSQL crashed and was gone for ${ms} ms: it runs since ${now}, before since ${before}`);
  },
};

export const listenersCut: Fault = {
  name: 'listeners-cut',
  startsAnew: false,
  impossible,
  async happen(world, ms) {
    const { query } = world.database as Database;
    let cut = 0;
    for (const end = performance.now() + ms; performance.now() < end; await after(400))
      cut += (await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gatehouse lease'")).length;
    return show(cut > 0, `${cut} connections that listen were cut`);
  },
};
