// The limits of all questions in one table: what has to be true on a quiet machine in the default configuration.
import type { Limit, Row } from './results-file.ts';

/** The columns that limits are about. */
export type Column =
  | 'of its limit'
  | 'CPU of its limit'
  | 'requests/s'
  | 'operations/s'
  | 'p99 ms'
  | 'ms'
  | 'CPU ms'
  | 'MB'
  | 'rows not shown'
  | 'first of last'
  | 'of one client'
  | 'of idle'
  | 'of bare'
  | 'CPU of bare'
  | 'recall@10'
  | 'of one core'
  | 'of one node'
  | 'of SQLite'
  | 'of the bare loop'
  | 'of the empty route'
  | 'of one instance'
  | 'CPU us'
  | 'CPU of busy';

interface Rule {
  readonly what: string;
  /** Default: every row of that name. */
  readonly connections?: readonly number[];
  readonly column: Column;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const inline = (what: string): Rule[] => [
  { what, column: 'of its limit', atLeast: 0.7 },
  { what, column: 'CPU of its limit', atMost: 1.4 },
];

export const RULES: readonly Rule[] = [
  ...['Encrypt, JSON', 'Encrypt, binary', 'encrypt, REST', 'Get', 'GetAttributes'].flatMap(inline),
  ...['Encrypt, not traced', '/whoami, not traced'].map((what): Rule => ({ what, column: 'CPU of its limit', atMost: 1.05 })),
  ...['Encrypt, none chosen', '/whoami, none chosen'].map((what): Rule => ({ what, column: 'CPU of its limit', atMost: 1.3 })),
  { what: 'ten Encrypts, binary', column: 'operations/s', atLeast: 40_000 },
  { what: 'Create AES', connections: [16], column: 'requests/s', atLeast: 3_500 },
  { what: 'Sign P-256', column: 'CPU of its limit', atMost: 1.3 },
  { what: 'Sign RSA-2048', connections: [16, 64], column: 'of its limit', atLeast: 0.8 },
  { what: '/whoami', connections: [16, 64], column: 'of its limit', atLeast: 0.75 },
  { what: 'token lookup', connections: [16, 64], column: 'of its limit', atLeast: 0.6 },
  { what: 'role login', connections: [16, 64], column: 'of its limit', atLeast: 0.4 },
  { what: 'login', column: 'of its limit', atLeast: 0.85 },
  { what: '/whoami during logins', column: 'p99 ms', atMost: 25 },
  { what: '/health during logins', column: 'p99 ms', atMost: 25 },
  { what: 'translate one window, nine clients', column: 'of one client', atMost: 4 },
  { what: 'nine clients', column: 'of one client', atMost: 4 },
  ...['one client', 'nine clients'].map((what): Rule => ({ what, column: 'of bare', atMost: 1.1 })),
  ...[10_000, 100_000, 1_000_000].map((count): Rule => ({ what: `exact search among ${count} passages`, column: 'recall@10', atLeast: 1 })),
  ...['/whoami', 'Encrypt', 'Encrypt, KMIP listener', '/login'].map((what): Rule => ({ what: `${what} during inference`, column: 'of idle', atMost: 2 })),
  { what: 'remove a document of 6000 passages', column: 'ms', atMost: 100 },
  ...['/whoami', 'Encrypt'].map((what): Rule => ({ what: `${what}, two cores`, column: 'of one core', atLeast: 1.7 })),
  ...['/whoami', 'token lookup', 'Get', 'Encrypt'].map((what): Rule => ({ what: `${what}, two nodes`, column: 'of one node', atLeast: 1.8 })),
  ...['/whoami', 'token lookup', 'Get'].map((what): Rule => ({ what: `${what}, one node`, column: 'of SQLite', atLeast: 0.9 })),
  { what: 'Create, PostgreSQL', column: 'requests/s', atLeast: 1_500 },
  { what: 'second start', column: 'ms', atMost: 1_200 },
  { what: 'second start', column: 'CPU ms', atMost: 2_500 },
  { what: 'idle', column: 'MB', atMost: 300 },
  ...[1, 2, 4, 8].flatMap((count): Rule[] => [
    { what: `rsa-sign, 1 of ${count} instances`, column: 'of the bare loop', atLeast: 0.9 },
    { what: `rsa-sign, each of ${count} instances`, column: 'of the bare loop', atLeast: 0.9 },
    { what: `aes-gcm, 1 of ${count} instances`, column: 'of the empty route', atLeast: 0.4 },
  ]),
  ...[2, 4, 8].flatMap((count) =>
    ['rsa-sign', 'aes-gcm'].map((operation): Rule => ({ what: `${operation}, 1 of ${count} instances`, column: 'of one instance', atLeast: 0.95 })),
  ),
  { what: 'aes-gcm, routing', column: 'CPU us', atMost: 30 },
  { what: 'Encrypt, after a rest', column: 'CPU of busy', atMost: 1.5 },
  ...['Encrypt', 'Get', 'Sign P-256', '/whoami'].map((what): Rule => ({ what: `${what} after the start`, column: 'first of last', atMost: 2 })),
];

/** @returns a limit for each row that a rule is about; a value that is missing in such a row does not hold */
export function limitsOf(rows: readonly Row[], rules: readonly Rule[] = RULES): Limit[] {
  return rules.flatMap(({ what, connections, column, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }) => {
    const own = rows.filter((row) => row['what'] === what && (connections === undefined || connections.includes(Number(row['connections']))));
    return own.map((row) => {
      const value = typeof row[column] === 'number' ? row[column] : Number.NaN;
      const where = row['connections'] === undefined ? '' : ` at ${row['connections']} connections`;
      const bound = atLeast === Number.NEGATIVE_INFINITY ? `at most ${atMost}` : `at least ${atLeast}`;
      return { limit: `${what}${where}, ${column}: ${bound}`, value, holds: value >= atLeast && value <= atMost };
    });
  });
}
