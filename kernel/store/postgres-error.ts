// What errors of PostgreSQL and of its connections mean to callers: busy, away, read-only or full.
import { Fault } from '../fault.ts';

export const UNREACHABLE = 'the database cannot be reached';
/** read_only_sql_transaction. */
export const READ_ONLY = '25006';
export const NOT_WRITABLE = 'the database is read-only: it is a standby, or a fail-over is under way';
/** lock_not_available, too_many_connections, out_of_memory. */
const BUSY: ReadonlySet<unknown> = new Set(['55P03', '53300', '53200']);
export const DISK_FULL = '53100';
export const NO_ROOM = 'the disk of the database is full';
/** SQLSTATE class 28: a password that was changed, or rules of the server that leave this one out. */
const NOT_LET_IN = /^28...$/;
const REFUSED = 'the database does not let this server in: see the user and the password of [store] url';
/** invalid_catalog_name, invalid_schema_name. */
const MISSING = /^3[DF]000$/;
const NOT_THERE = 'the database server has no database or schema of that name: see [store] url';
/** insufficient_privilege. Since PostgreSQL 15 only the owner of a database makes tables in its schema public. */
const NOT_PERMITTED = '42501';
const NO_RIGHT = 'the database does not permit the user of [store] url what it needs: let the user own the database, or grant it CREATE on the schema';
/** What pg says to a URL with a sslmode. It has no code. */
const NO_TLS = 'The server does not support SSL connections';
const PLAIN = 'the database does not speak TLS, which the sslmode of [store] url asks for';
/** Codes of OpenSSL and Node for a certificate, and of Node for TLS. */
const NOT_TRUSTED = /CERT|^UNABLE_TO_|^ERR_(TLS|SSL)_/;
const STRANGE = 'the certificate of the database is not trusted';
/** What pg-pool says when all its connections have been waiting for answers for so long. It has no code. */
const POOL_IS_BUSY = 'timeout exceeded when trying to connect';
/** SQLSTATE classes 08 (connection), 57P (shutdown) and 58 (its files cannot be read or written), and socket errors. */
const GONE = /^(08...|57P0.|58...|E[A-Z]+)$/;

export const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code;

/** @throws Fault OVERLOADED or UNAVAILABLE for the state of the database; other errors unchanged */
export async function translateErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: string };
    if (BUSY.has(code) || message === POOL_IS_BUSY) throw new Fault('OVERLOADED', { cause: error });
    if (code === DISK_FULL) throw new Fault('UNAVAILABLE', { detail: NO_ROOM, cause: error });
    if (code === READ_ONLY) throw new Fault('UNAVAILABLE', { detail: NOT_WRITABLE, cause: error });
    if (NOT_LET_IN.test(String(code))) throw new Fault('UNAVAILABLE', { detail: REFUSED, cause: error });
    if (MISSING.test(String(code))) throw new Fault('UNAVAILABLE', { detail: NOT_THERE, cause: error });
    if (code === NOT_PERMITTED) throw new Fault('UNAVAILABLE', { detail: NO_RIGHT, cause: error });
    if (message === NO_TLS) throw new Fault('UNAVAILABLE', { detail: PLAIN, cause: error });
    if (NOT_TRUSTED.test(String(code))) throw new Fault('UNAVAILABLE', { detail: STRANGE, cause: error });
    // The connection errors of pg have no code, so they are recognized by the beginnings of their messages.
    if (GONE.test(String(code)) || /^(Connection terminated|timeout expired|Client has encountered|Client was closed)/.test(String(message))) {
      throw new Fault('UNAVAILABLE', { detail: UNREACHABLE, cause: error });
    }
    throw error;
  }
}
