// Reads rows from PostgreSQL for what caches them beside its callers, as long as caches may be used; otherwise their actor is asked.
import { ELSEWHERE } from '../elsewhere.ts';
import type { Trust } from '../trust.ts';
import { readerOver } from './postgres.ts';
import { openPool } from './postgres-pool.ts';
import { types } from './postgres-types.ts';
import type { ReadStore, SqlValue } from './store.ts';

const CONNECTIONS = 2;
/** Later answers are of no use: the actor is asked, which may wait longer. */
const ANSWER_MS = 1_000;

/** Its methods throw ELSEWHERE while nothing may be cached: this thread would ask the database again and again. */
export function openPostgresReader(connectionString: string, trust: Pick<Trust, 'isTrusted'>): ReadStore {
  const pool = openPool({
    ...{ connectionString, types, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS, max: CONNECTIONS },
    application_name: 'gatehouse',
  });
  const reader = readerOver(pool);
  const requireTrust = () => {
    if (!trust.isTrusted) throw ELSEWHERE;
  };
  return {
    async get<T extends object>(sql: string, params?: readonly SqlValue[]) {
      requireTrust();
      return reader.get<T>(sql, params);
    },
    async all<T extends object>(sql: string, params?: readonly SqlValue[]) {
      requireTrust();
      return reader.all<T>(sql, params);
    },
    close: () => pool.end(),
  };
}
