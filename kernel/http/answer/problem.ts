// Turns every error into the answer that an HTTP client sees. Its text comes from the fault tables only.
import { asFault, describe, Fault, type FaultKind, type FaultTable, KERNEL_FAULTS } from '../../fault.ts';
import type { Log } from '../../log/log-entry.ts';

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly code: string; readonly message: string; readonly errors: readonly string[]; readonly request_id: string };
}

/** Never Basic: a browser would open its own password dialog. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="gatehouse"' };
/** Which encodings a body may have (RFC 9110 section 12.5.3). */
const ENCODINGS = { 'accept-encoding': 'identity' };
const RETRY = { 'retry-after': '1' };

/** Errors of Fastify by their codes. Status, headers and message of a thrown object are ignored. */
const FRONT_FAULTS: Readonly<Record<string, { readonly code: keyof typeof KERNEL_FAULTS; readonly detail?: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'BAD_REQUEST', detail: 'the content type must be application/json' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'BAD_REQUEST', detail: 'the length of the body differs from Content-Length' },
  FST_ERR_BAD_URL: { code: 'BAD_REQUEST', detail: 'the URL is malformed' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'NOT_FOUND' },
  ECONNRESET: { code: 'CANCELLED' },
  ABORT_ERR: { code: 'CANCELLED' },
};

export type ProblemWriter = (error: unknown, requestId: string) => Problem;

/** @param tables the faults of the kernel and of all plugins */
export function problemWriter(tables: FaultTable, log: Log): ProblemWriter {
  return (error, requestId) => {
    const fault = faultOf(error);
    const kind = tables[fault.code];
    if (!kind || fault.code === 'INTERNAL') {
      log.error({ request_id: requestId, code: fault.code, trace: describe(fault) }, 'request failed');
      return problem('INTERNAL', KERNEL_FAULTS.INTERNAL, undefined, requestId);
    }
    if (kind.status >= 500) log.warn({ request_id: requestId, code: fault.code, trace: describe(fault) }, 'request not served');
    return problem(fault.code, kind, fault, requestId);
  };
}

function faultOf(error: unknown): Fault {
  const known = FRONT_FAULTS[String((error as { code?: unknown } | undefined)?.code)];
  return known ? new Fault(known.code, { detail: known.detail, cause: error }) : asFault(error);
}

function problem(code: string, kind: FaultKind, fault: Fault | undefined, requestId: string): Problem {
  const message = fault?.detail ?? kind.message;
  return {
    status: kind.status,
    headers: { ...(kind.status === 401 ? CHALLENGE : {}), ...(code === 'ENCODED' ? ENCODINGS : {}), ...(kind.retry ? RETRY : {}) },
    body: { code, message, errors: fault?.errors ?? [message], request_id: requestId },
  };
}

/** The answer to bytes that Node's HTTP parser refused, by its error code. */
export function parserProblem(error: { readonly code?: string | undefined }): { status: number; reason: string; code: keyof typeof KERNEL_FAULTS } {
  const code = error.code === 'HPE_HEADER_OVERFLOW' ? 'HEADERS_TOO_LARGE' : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'BAD_REQUEST';
  const reasons: Record<string, string> = {
    HEADERS_TOO_LARGE: 'Request Header Fields Too Large',
    REQUEST_TIMEOUT: 'Request Timeout',
    BAD_REQUEST: 'Bad Request',
  };
  return { status: KERNEL_FAULTS[code].status, reason: reasons[code] as string, code };
}
