// Whether a pooler such as PgBouncer stands between this node and PostgreSQL: it may give each transaction another connection of the server.
import type pg from 'pg';

/** A pooler gives clients numbers of its own for the server's processes. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid !== (client as unknown as { readonly processID: number }).processID;
}
