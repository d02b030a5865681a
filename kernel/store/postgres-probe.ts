// Asks a PostgreSQL database whether it can be written, on a connection of its own.
import pg from 'pg';
import { Fault } from '../fault.ts';
import { requireWritable, UNREACHABLE } from './postgres.ts';
import type { Attempts } from './store-probe.ts';

/** @param answerMs longest time for an answer, milliseconds */
export function postgresAttempts(connectionString: string, answerMs: number): Attempts {
  let client: pg.Client | undefined;
  const drop = async () => {
    const broken = client;
    client = undefined;
    await broken?.end().catch(() => {});
  };
  const connect = async () => {
    const fresh = new pg.Client({ connectionString, connectionTimeoutMillis: answerMs, query_timeout: answerMs, application_name: 'gatehouse probe' });
    fresh.on('error', () => void drop());
    await fresh.connect();
    client = fresh;
    return fresh;
  };
  return {
    async attempt() {
      try {
        await requireWritable(client ?? (await connect()));
      } catch (error) {
        // The next attempt may reach another server.
        await drop();
        throw new Error(error instanceof Fault ? error.detail : UNREACHABLE);
      }
    },
    close: drop,
  };
}
