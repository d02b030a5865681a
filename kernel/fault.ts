// The error class of gatehouse, the fault codes of the kernel, and the form of a fault between threads.
import { diskTrouble } from './disk/disk-trouble.ts';
import { isOutOfMemory } from './out-of-memory.ts';

/** One row of a fault table: what a client may learn about a failure. */
export interface FaultKind {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Public text. It must not depend on the occurrence. */
  readonly message: string;
  /** True if the same request may succeed later; the HTTP answer then has the header Retry-After. */
  readonly retry?: boolean;
}

export type FaultTable = Readonly<Record<string, FaultKind>>;

export const KERNEL_FAULTS = Object.freeze({
  INTERNAL: { status: 500, message: 'internal error' },
  BAD_REQUEST: { status: 400, message: 'the request is malformed' },
  UNAUTHENTICATED: { status: 401, message: 'authentication is required' },
  FORBIDDEN: { status: 403, message: 'not allowed' },
  NOT_FOUND: { status: 404, message: 'there is nothing at this path' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'this path does not support the method; the header Allow lists the methods that it supports' },
  REQUEST_TIMEOUT: { status: 408, message: 'the request did not arrive in time' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'the body is too large' },
  ENCODED: { status: 415, message: 'the body is encoded, gzip for example; send it as it is' },
  EXPECTATION_FAILED: { status: 417, message: 'the only expectation that is known is 100-continue' },
  HEADERS_TOO_LARGE: { status: 431, message: 'the header fields are too large' },
  CANCELLED: { status: 499, message: 'the client disconnected before the answer was ready' },
  OVERLOADED: { status: 503, message: 'the server is too busy; try again later', retry: true },
  UNAVAILABLE: { status: 503, message: 'this part of the server is down; try again later', retry: true },
  // Only the routes and listeners of the key server are affected.
  KEY_SERVER_SEALED: { status: 503, message: 'the key server is sealed: its key-encryption key cannot be reached; try again later', retry: true },
  STOPPING: { status: 503, message: 'the server is stopping; try again later', retry: true },
  ACTOR_LOST: { status: 503, message: 'the work was interrupted; its outcome is unknown' },
  DEADLINE: { status: 504, message: 'there was no answer in time; the outcome is unknown' },
}) satisfies FaultTable;

/** `code` names a row of a fault table. `detail` and `errors` are public, so they must contain our own texts only. `cause` goes to the log only. */
export class Fault extends Error {
  readonly code: string;
  readonly detail: string | undefined;
  readonly errors: readonly string[] | undefined;

  constructor(code: string, options: { detail?: string | undefined; errors?: readonly string[] | undefined; cause?: unknown } = {}) {
    super(options.detail ?? code, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.detail = options.detail;
    this.errors = options.errors;
  }
}

/** Whether an error is a failure of the server or of its environment, and not a refusal of the request. */
export function isServerFailure(error: unknown): boolean {
  if (!(error instanceof Fault)) return true;
  const kind: FaultKind | undefined = KERNEL_FAULTS[error.code as keyof typeof KERNEL_FAULTS];
  return kind !== undefined && (kind.status >= 500 || error.code === 'CANCELLED');
}

/** @returns code and message in one line, for protocols without a status: `CODE: message` */
export function failureText(code: string): string {
  const kind: FaultKind = KERNEL_FAULTS[code as keyof typeof KERNEL_FAULTS] ?? KERNEL_FAULTS.INTERNAL;
  return kind === KERNEL_FAULTS.INTERNAL ? kind.message : `${code}: ${kind.message}`;
}

/** A fault on its way between threads. `trace` is for the log only. */
export interface FaultWire {
  readonly code: string;
  readonly detail?: string | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly trace: string;
}

/** A disk that takes no bytes, and memory that the system refuses, are told as that. Anything else that is not a Fault is a bug and becomes INTERNAL. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (isOutOfMemory(error)) return new Fault('OVERLOADED', { detail: 'the system gives this server no more memory now', cause: error });
  const trouble = diskTrouble(error);
  return trouble === undefined
    ? new Fault('INTERNAL', { cause: error })
    : new Fault('UNAVAILABLE', { detail: `a file of the server cannot be written now: ${trouble}`, cause: error });
}

/** Encodes an error for another thread. */
export function encodeFault(error: unknown): FaultWire {
  const trace = describe(error);
  const { code, detail, errors } = asFault(error);
  return { code, detail, errors, trace };
}

export function decodeFault(wire: FaultWire): Fault {
  return new Fault(wire.code, { detail: wire.detail, errors: wire.errors, cause: wire.trace });
}

/** @returns the stacks of an error and of its causes, as text for the log */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${describe(error.cause)}`;
}
