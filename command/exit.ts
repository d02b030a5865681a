// The exit codes of the command, and which error ends it with which of them.
import { GatehouseError } from '../client/error.ts';
import { writeFailure } from '../kernel/disk/disk-trouble.ts';

/** docs/command-line.md says what each means; scripts rely on them, so a number never changes its meaning. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unauthenticated: 3, forbidden: 4, notFound: 5, refused: 6, unavailable: 7, wrong: 8 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the user can mend: printed as one line, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: ExitCode;

  constructor(message: string, exit: ExitCode = EXIT.failed) {
    super(message);
    this.exit = exit;
  }
}

const BY_STATUS: Readonly<Record<number, ExitCode>> = {
  0: EXIT.unavailable,
  401: EXIT.unauthenticated,
  403: EXIT.forbidden,
  404: EXIT.notFound,
  503: EXIT.unavailable,
  504: EXIT.unavailable,
};

/** Credentials of machines are refused as 400 and 403, as OpenBao's clients expect it. */
const BY_CODE: Readonly<Record<string, ExitCode>> = {
  AUTH_ROLE_DENIED: EXIT.unauthenticated,
  AUTH_SECRET_ID_EXHAUSTED: EXIT.unauthenticated,
  AUTH_TOKEN_DENIED: EXIT.unauthenticated,
};

/** KMIP refuses with 422 and says the result reason first. */
const BY_REASON: Readonly<Record<string, ExitCode>> = {
  Object_Not_Found: EXIT.notFound,
  Item_Not_Found: EXIT.notFound,
  Permission_Denied: EXIT.forbidden,
  Authentication_Not_Successful: EXIT.unauthenticated,
};

export function exitOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exit;
  if (!(error instanceof GatehouseError)) return EXIT.failed;
  const reason = /^([A-Z]\w+):/.exec(error.message)?.[1];
  const known = reason === undefined ? undefined : BY_REASON[reason];
  return known ?? BY_CODE[error.code] ?? BY_STATUS[error.status] ?? (error.status < 500 ? EXIT.refused : EXIT.failed);
}

/** One line about an error; a bug keeps its stack. */
export function lineOf(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  if (error instanceof GatehouseError) {
    const id = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
    return error.status === 401 && error.code !== 'AUTH_DENIED' ? `not signed in, or not any more: gatehouse login${id}` : `${error.message}${id}`;
  }
  const told = writeFailure(error, 'standard output');
  if (told) return told;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  // A file that cannot be read or written.
  return code !== undefined && /^E[A-Z]+$/.test(code) ? message : (stack ?? message);
}
