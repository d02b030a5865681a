// The border to HTTP clients: every error answer is written here, from a fault table and nothing else.
import { describe, Fault, type FaultKind, type FaultTable, KERNEL_FAULTS } from '../fault.ts';
import type { Log } from '../log-entry.ts';

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly code: string; readonly message: string; readonly errors: readonly string[]; readonly request_id: string };
}

/** Never Basic: a browser would ask for the password in a dialogue of its own. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="gatehouse"' };
const RETRY = { 'retry-after': '1' };

/** What Fastify refuses by itself, by its codes. A thrown object's status, headers and message are never believed. */
const FRONT_FAULTS: Readonly<Record<string, { readonly code: keyof typeof KERNEL_FAULTS; readonly detail?: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'BAD_REQUEST', detail: 'the content type must be application/json' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'BAD_REQUEST', detail: 'the body is not as long as Content-Length says' },
  FST_ERR_BAD_URL: { code: 'BAD_REQUEST', detail: 'the address is malformed' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'NOT_FOUND' },
  ECONNRESET: { code: 'CANCELLED' },
  ABORT_ERR: { code: 'CANCELLED' },
};

export type ProblemWriter = (error: unknown, requestId: string) => Problem;

/** @param tables the kernel's faults and those of all plugins */
export function problemWriter(tables: FaultTable, log: Log): ProblemWriter {
  return (error, requestId) => {
    const fault = asFault(error);
    const kind = tables[fault.code];
    if (!kind || fault.code === 'INTERNAL') {
      log.error({ request_id: requestId, code: fault.code, trace: describe(fault) }, 'request failed');
      return problem('INTERNAL', KERNEL_FAULTS.INTERNAL, undefined, requestId);
    }
    if (kind.status >= 500) log.warn({ request_id: requestId, code: fault.code, trace: describe(fault) }, 'request not served');
    return problem(fault.code, kind, fault, requestId);
  };
}

function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const known = FRONT_FAULTS[String((error as { code?: unknown } | undefined)?.code)];
  return known ? new Fault(known.code, { detail: known.detail, cause: error }) : new Fault('INTERNAL', { cause: error });
}

function problem(code: string, kind: FaultKind, fault: Fault | undefined, requestId: string): Problem {
  const message = fault?.detail ?? kind.message;
  return {
    status: kind.status,
    headers: { ...(kind.status === 401 ? CHALLENGE : {}), ...(kind.retry ? RETRY : {}) },
    body: { code, message, errors: fault?.errors ?? [message], request_id: requestId },
  };
}

/** The same answer on a connection whose bytes never became a request: Node's parser errors, by their codes. */
export function parserProblem(error: { readonly code?: string | undefined }): { status: number; reason: string; code: keyof typeof KERNEL_FAULTS } {
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'HEADERS_TOO_LARGE' : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'BAD_REQUEST';
  const reasons: Record<string, string> = {
    HEADERS_TOO_LARGE: 'Request Header Fields Too Large',
    REQUEST_TIMEOUT: 'Request Timeout',
    BAD_REQUEST: 'Bad Request',
  };
  return { status: KERNEL_FAULTS[code].status, reason: reasons[code] as string, code };
}
