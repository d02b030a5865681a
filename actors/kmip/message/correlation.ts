// What ties a message to its answer and to the log: the id of the request, and what the client calls it (KMIP specification 2.1 sections 9.9 and 9.10).
import type { RequestHeader } from '../../../kmip/message/request.ts';
import type { ResponseHead } from '../../../kmip/message/response.ts';
import type { BatchContext } from '../context.ts';
import { callerName } from '../principal.ts';

type Header = Pick<RequestHeader, 'clientCorrelationValue'>;

/** In the log; the specification names no limit. */
const MAX_LOGGED = 256;

export const headOf = ({ version, now, server }: BatchContext, { clientCorrelationValue }: Header): ResponseHead => ({
  version,
  now,
  correlated: clientCorrelationValue !== undefined,
  requestId: server.requestId(),
});

/** Call it once the message is answered: what the thread of a caller begins, the actor may begin again. */
export function logCorrelation({ server, caller }: BatchContext, { clientCorrelationValue: value }: Header): void {
  if (value === undefined) return;
  const user = callerName(caller);
  const unlogged = server.correlations.admit(user, server.monotonic());
  if (unlogged === undefined) return;
  const who = { request_id: server.requestId(), user, source: caller.source, ...(unlogged > 0 && { unlogged }) };
  server.log.info({ ...who, client_correlation_value: value.slice(0, MAX_LOGGED).toWellFormed() }, 'what a client calls its message');
}
