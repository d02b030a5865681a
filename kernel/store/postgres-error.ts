// What errors of PostgreSQL and of its connections mean to callers: busy, away, read-only, full, or changed by somebody else.
import { Fault } from '../fault.ts';
import { OTHER_TABLES } from './other-tables.ts';

export const UNREACHABLE = 'the database cannot be reached';
/** read_only_sql_transaction. */
export const READ_ONLY = '25006';
export const NOT_WRITABLE = 'the database is read-only: it is a standby, or a fail-over is under way';
export const DISK_FULL = '53100';
export const NO_ROOM = 'the disk of the database is full';

interface Meaning {
  /** An SQLSTATE, or a code of Node or OpenSSL. */
  readonly code?: RegExp;
  /** What pg and pg-pool say without a code. */
  readonly message?: RegExp;
  readonly fault: 'OVERLOADED' | 'UNAVAILABLE';
  readonly detail?: string;
}

const exactly = (code: string) => new RegExp(`^${code}$`);

/** The first that fits counts. */
const MEANINGS: readonly Meaning[] = [
  // lock_not_available; all connections of the pool have been waiting for answers for so long.
  { code: /^55P03$/, message: /^timeout exceeded when trying to connect$/, fault: 'OVERLOADED' },
  { code: exactly(DISK_FULL), fault: 'UNAVAILABLE', detail: NO_ROOM },
  // too_many_connections; then out_of_memory, configuration_limit_exceeded and the rest of their class.
  {
    code: exactly('53300'),
    fault: 'OVERLOADED',
    detail: 'the database lets in no more connections now: see its max_connections and the CONNECTION LIMIT of the user',
  },
  { code: /^53...$/, fault: 'OVERLOADED', detail: 'the database has no room for more work now: see its memory and temp_file_limit' },
  // idle_in_transaction_session_timeout, query_canceled, transaction_timeout: nothing of the transaction has happened.
  { code: /^25P03$/, fault: 'OVERLOADED', detail: 'the database has ended a transaction in which this server stood still' },
  {
    code: /^(57014|25P04)$/,
    fault: 'OVERLOADED',
    detail: 'the database has ended the statement before its answer: see statement_timeout and the like of its user',
  },
  // undefined_table, undefined_column; and a plan that was made before a table was changed.
  { code: /^(42P01|42703)$/, message: /^cached plan must not change result type$/, fault: 'UNAVAILABLE', detail: OTHER_TABLES },
  // character_not_in_repertoire, untranslatable_character.
  { code: /^(22021|22P05)$/, fault: 'UNAVAILABLE', detail: 'the database cannot keep this text: its encoding must be UTF8' },
  // internal_error, data_corrupted, index_corrupted.
  { code: /^XX00.$/, fault: 'UNAVAILABLE', detail: 'the database says that something in it is damaged: see its log' },
  { code: exactly(READ_ONLY), fault: 'UNAVAILABLE', detail: NOT_WRITABLE },
  // Class 28: a password that was changed, or rules of the database server that leave this one out.
  { code: /^28...$/, fault: 'UNAVAILABLE', detail: 'the database does not let this server in: see the user and the password of [store] url' },
  // invalid_catalog_name, invalid_schema_name.
  { code: /^3[DF]000$/, fault: 'UNAVAILABLE', detail: 'the database server has no database or schema of that name: see [store] url' },
  // insufficient_privilege. Since PostgreSQL 15 only the owner of a database makes tables in its schema public.
  {
    code: /^42501$/,
    fault: 'UNAVAILABLE',
    detail: 'the database does not permit the user of [store] url what it needs: let the user own the database, or grant it CREATE on the schema',
  },
  {
    message: /^The server does not support SSL connections$/,
    fault: 'UNAVAILABLE',
    detail: 'the database does not speak TLS, which the sslmode of [store] url asks for',
  },
  // Of OpenSSL and Node for a certificate, and of Node for TLS.
  { code: /CERT|^UNABLE_TO_|^ERR_(TLS|SSL)_/, fault: 'UNAVAILABLE', detail: 'the certificate of the database is not trusted' },
  // Classes 08 (connection), 57P (shutdown) and 58 (its files cannot be read or written), and errors of sockets.
  {
    code: /^(08...|57P0.|58...|E[A-Z]+)$/,
    message: /^(Connection terminated|timeout expired|Client has encountered|Client was closed)/,
    fault: 'UNAVAILABLE',
    detail: UNREACHABLE,
  },
];

export const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | undefined)?.code;

/** @throws Fault OVERLOADED or UNAVAILABLE for the state of the database; other errors unchanged */
export async function translateErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    const meaning = MEANINGS.find((each) => each.code?.test(String(code)) || each.message?.test(String(message)));
    throw meaning ? new Fault(meaning.fault, { detail: meaning.detail, cause: error }) : error;
  }
}
