// The error of the client: what the server refused, with its status, its code and the id of the request.

export interface Refusal {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** A code of docs/faults.md, or the `error` of `/v1/crypto`; `UNREACHABLE` where no answer came. */
  readonly code: string;
  readonly message: string;
  /** The header X-Request-Id of the answer, which the log and the audit log of the server know. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;

  constructor({ status, code, message, requestId, cause }: Refusal) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }
}

/** @param text the body of an answer with a status from 400 on, in the form of `/v1/crypto` or of all other routes */
export function refusalOf(status: number, text: string, requestId: string | undefined): GatehouseError {
  const { code, message, error, description } = membersOf(text);
  return new GatehouseError({ status, code: code ?? error ?? `HTTP_${status}`, message: message ?? description ?? `the server answered ${status}`, requestId });
}

function membersOf(text: string): Readonly<Record<'code' | 'message' | 'error' | 'description', string | undefined>> {
  const found: Record<string, unknown> = {};
  try {
    Object.assign(found, JSON.parse(text));
  } catch {
    // Something between here and the server answered in words of its own.
  }
  const member = (name: string) => (typeof found[name] === 'string' ? (found[name] as string) : undefined);
  return { code: member('code'), message: member('message'), error: member('error'), description: member('description') };
}
