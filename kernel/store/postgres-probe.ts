// Asks a PostgreSQL database whether it can be written and its disk has room, on a connection of its own.
import pg from 'pg';
import { Fault } from '../fault.ts';
import { codeOf, DISK_FULL, NO_ROOM, translateErrors, UNREACHABLE } from './postgres-error.ts';
import { requireWritable } from './postgres-pool.ts';
import type { Attempts, ClockOfStore } from './store-probe.ts';

/** The smallest that PostgreSQL allows, where the database is: the rows of an attempt do not fit, so it writes them into a file, which it removes again. */
const ATTEMPT = `SET LOCAL work_mem = '64kB'; SET LOCAL temp_tablespaces = ''; SELECT count(*) FROM generate_series(1, 8000);
  SELECT EXTRACT(EPOCH FROM clock_timestamp())::float8 * 1000 AS now`;
/** configuration_limit_exceeded: the file may not be so large here, and nothing is known of the disk. */
const NOT_ALLOWED = '53400';

/** With one connection. The database may let no new one in, as after a change of the password, and those of requests come and go. */
const LOOKS = 2;

/** @returns what the clock of the database says, milliseconds since the epoch, if it told it @throws Fault UNAVAILABLE if the disk of the database is full */
async function requireRoom(client: pg.ClientBase): Promise<number | undefined> {
  try {
    // One result for each statement.
    const results = (await client.query(ATTEMPT)) as unknown as readonly pg.QueryResult<{ now: number }>[];
    return results.at(-1)?.rows[0]?.now;
  } catch (error) {
    if (codeOf(error) === DISK_FULL) throw new Fault('UNAVAILABLE', { detail: NO_ROOM, cause: error });
    if (codeOf(error) !== NOT_ALLOWED) throw error;
    return undefined;
  }
}

const CLOCK: ClockOfStore = { of: 'that of the database', advice: 'let all machines get their time from the network (NTP)' };

/** @param answerMs longest time for an answer, milliseconds */
export function postgresAttempts(connectionString: string, answerMs: number): Attempts {
  let client: pg.Client | undefined;
  let looks = 0;
  const drop = async () => {
    const broken = client;
    client = undefined;
    await broken?.end().catch(() => {});
  };
  const connect = async () => {
    const fresh = new pg.Client({ connectionString, connectionTimeoutMillis: answerMs, query_timeout: answerMs, application_name: 'gatehouse probe' });
    fresh.on('error', () => void drop());
    client = fresh;
    looks = 0;
    await fresh.connect();
    return fresh;
  };
  return {
    clock: CLOCK,
    async attempt() {
      try {
        const now = await translateErrors(async () => {
          const open = client ?? (await connect());
          await requireWritable(open);
          return requireRoom(open);
        });
        looks += 1;
        if (looks >= LOOKS) await drop();
        return now;
      } catch (error) {
        // The next attempt may reach another server.
        await drop();
        throw new Error(error instanceof Fault ? error.detail : UNREACHABLE);
      }
    },
    close: drop,
  };
}
