// Why the server cannot start although its configuration is right, for the operator: a part of it does not answer or has failed.
import { diskTrouble, writeFailure } from '../disk/disk-trouble.ts';
import { Fault, failureText, isServerFailure } from '../fault.ts';

export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

/**
 * Runs what a part of the server does at the start.
 * @param part for the operator: `the plugin auth`
 * @throws StartFailure for a fault of an actor, such as DEADLINE or UNAVAILABLE; any other error as it is
 */
export async function startOf<T>(part: string, run: () => T): Promise<Awaited<T>> {
  try {
    return await run();
  } catch (error) {
    const why = serverFailure(error);
    if (why === undefined) throw error;
    throw new StartFailure(`${part} could not start: ${why}`, { cause: error });
  }
}

/** @returns what a part of the server or a database says of its state, with the address that did not answer; undefined for any other error */
export function serverFailure(error: unknown): string | undefined {
  if (!(error instanceof Fault) || !isServerFailure(error)) return undefined;
  return [error.detail ?? failureText(error.code), ...reasons(error.cause)].join(': ');
}

const CONNECTING: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
/** Classes 08 (connection), with which poolers tell everything, and 57P (shutdown) of PostgreSQL. They come without a statement. */
const REFUSED = /^(08...|57P0.)$/;

/**
 * @returns what SQLite says of its file, as `file is not a database`; or for each address why there is no connection, as `connect ECONNREFUSED
 * 127.0.0.1:5432`: a host may have several; or what PostgreSQL or a pooler answered to the connection. Messages of other kinds may hold more than an operator should see.
 */
function reasons(cause: unknown): readonly string[] {
  const { errors, syscall, message, errstr, code, severity } = (cause ?? {}) as Partial<Record<string, unknown>>;
  if (Array.isArray(errors)) return errors.flatMap(reasons);
  // The fixed text of its code, without anything of the statement. The fault itself tells of a disk.
  if (typeof errstr === 'string') return diskTrouble(cause) === undefined ? [errstr] : [];
  const isOfConnection = CONNECTING.has(syscall) || (severity !== undefined && REFUSED.test(String(code)));
  return isOfConnection && message ? [String(message)] : [];
}

/** @returns what the operating system refused on which file, such as one of another user; undefined for any other error */
export function fileFailure(error: unknown): string | undefined {
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined || path === undefined) return undefined;
  return writeFailure(error, path) ?? message;
}
