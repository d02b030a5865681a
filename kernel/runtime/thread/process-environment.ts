// The environment of an actor's process: what Node and the libraries for TLS and databases read when they start, and nothing of the server's own.

const ALWAYS: ReadonlySet<string> = new Set([
  ...['TZ', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'OPENSSL_CONF', 'OPENSSL_MODULES', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
]);
/** What [store] url leaves to the environment (https://www.postgresql.org/docs/current/libpq-envars.html). */
const FOR_DATABASES: ReadonlySet<string> = new Set([
  ...['PGHOST', 'PGPORT', 'PGDATABASE', 'PGUSER', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY', 'HOME'],
]);

/** @param hasStore whether the process gets the address of the database */
export function processEnvironment(env: NodeJS.ProcessEnv, hasStore: boolean): Record<string, string> {
  const isPassed = (name: string) => ALWAYS.has(name) || (hasStore && FOR_DATABASES.has(name));
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value !== undefined && isPassed(name) ? [[name, value]] : [])));
}
