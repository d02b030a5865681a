// Serves one message: a RequestMessage in any encoding, or a single operation in JSON.
import { atEnd } from '../../../kernel/at-once.ts';
import { move, moveLarge } from '../../../kernel/runtime/channel/bytes.ts';
import { refusalOf } from '../../../kmip/crypto-refusal.ts';
import type { HeaderCredential } from '../../../kmip/message/header-credentials.ts';
import { requireRequest } from '../../../kmip/message/outer.ts';
import { spelledReason } from '../../../kmip/message/reason.ts';
import { type BatchItem, type RequestHeader, readHeader, readItems, versionOf } from '../../../kmip/message/request.ts';
import { failedMessage, responseMessage } from '../../../kmip/message/response.ts';
import { versionAhead } from '../../../kmip/message/version-ahead.ts';
import type { OperationName } from '../../../kmip/operation-name.ts';
import { Refusal } from '../../../kmip/refusal.ts';
import { decodeBinary, encodeBinary } from '../../../kmip/ttlv/binary.ts';
import { decodeJsonRequest, writeJson } from '../../../kmip/ttlv/json.ts';
import { bytes, type Structure, structure } from '../../../kmip/ttlv/node.ts';
import { nameOf } from '../../../kmip/ttlv/read.ts';
import { TAG } from '../../../kmip/ttlv/tag.ts';
import { decodeXml, encodeXml } from '../../../kmip/ttlv/xml.ts';
import { VERSIONS, type Version, WORKING_VERSION } from '../../../kmip/version.ts';
import { answerText } from '../answer-text.ts';
import type { Answer, CredentialVerdict, Encoding, Endpoint, Principal } from '../api.ts';
import { BatchContext } from '../context.ts';
import type { KeyServer } from '../server.ts';
import { type Outcome, runBatch, runItem } from './batch.ts';
import { headOf, logCorrelation } from './correlation.ts';
import { labelsOf, outcomeLabel } from './outcome-label.ts';
import { limitSize, refuseChanges } from './response-size.ts';
import { checkTicket } from './ticket-check.ts';

const NEWEST_1 = VERSIONS.find(({ major }) => major === 1) as Version;

/** The answer is there at once if nothing that the operation needs has to be waited for. */
export function serve(
  server: KeyServer,
  bytes: Uint8Array,
  encoding: Encoding,
  endpoint: Endpoint,
  caller: Principal,
  verdict?: CredentialVerdict,
): Answer | Promise<Answer> {
  const fallback = endpoint === '1_4' ? NEWEST_1 : WORKING_VERSION;
  let message: Structure;
  let bare: number | undefined;
  const seen: { operation?: OperationName } = {};
  try {
    if (isJson(encoding)) {
      const { operation, node } = decodeJsonRequest(bytes, undefined, (code) => {
        seen.operation = nameOf('Operation', code);
        server.operations[seen.operation]?.unread?.();
      });
      message = node;
      bare = operation;
    } else message = encoding === 'binary' ? decodeRequest(bytes) : decodeXml(bytes);
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    // JSON that is neither a message nor a known operation is answered like an unknown operation.
    if (refusal.reason === 'OperationNotSupported') return toErrorAnswer(server, 404, refusal.detail, `?:${refusal.reason}`);
    if (seen.operation !== undefined) return toErrorAnswer(server, 422, refusal.detail, `${seen.operation}:${refusal.reason}`);
    return refusedMessage(server, encoding, versionAhead(bytes, isJson(encoding) ? 'json' : encoding) ?? fallback, refusal);
  }
  if (bare !== undefined) return serveBare(server, bare, message, { version: fallback, encoding }, caller);
  return serveMessage(server, { message, bytes, encoding, endpoint, verdict }, caller);
}

function decodeRequest(bytes: Uint8Array): Structure {
  requireRequest(bytes);
  return decodeBinary(bytes);
}

/** A message, and how it was received. */
interface Received {
  readonly message: Structure;
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly endpoint: Endpoint;
  readonly verdict: CredentialVerdict | undefined;
}

function serveMessage(server: KeyServer, { message, bytes, encoding, endpoint, verdict }: Received, caller: Principal): Answer | Promise<Answer> {
  let version = versionOf(message) ?? (endpoint === '1_4' ? NEWEST_1 : WORKING_VERSION);
  try {
    const header = readHeader(message);
    version = header.version;
    if (endpoint === '1_4' && version.major !== 1) throw new Refusal('InvalidMessage', 'this address accepts KMIP 1.x; send KMIP 2.x and 3.0 to /kmip/2_1');
    if (header.credentials) {
      if (!verdict) return { status: 200, body: move(bytes), outcomes: [], credentials: header.credentials.map(told) };
      if (verdict.refusal !== undefined) throw new Refusal('AuthenticationNotSuccessful', verdict.refusal);
    }
    const items = readItems(message, header);
    const ticket = verdict?.isTicket ? header.credentials?.[0]?.ticket : undefined;
    const answer = ticket
      ? serveWithTicket(server, caller, ticket, { items, header, encoding })
      : serveItems(new BatchContext(server, caller, header.version), items, header, encoding);
    return answer instanceof Promise ? answer.catch((error: unknown) => refuse(server, encoding, header.version, error)) : answer;
  } catch (error) {
    return refuse(server, encoding, version, error);
  }
}

type Read = Readonly<{ items: readonly BatchItem[]; header: RequestHeader; encoding: Encoding }>;

async function serveWithTicket(server: KeyServer, caller: Principal, ticket: Uint8Array, { items, header, encoding }: Read): Promise<Answer> {
  const verdict = await checkTicket(server, caller, ticket, items);
  if ('as' in verdict) return serveItems(new BatchContext(server, verdict.as, header.version), items, header, encoding);
  return batchAnswer(new BatchContext(server, caller, header.version), header, verdict.refused, encoding);
}

function serveItems(ctx: BatchContext, items: readonly BatchItem[], header: RequestHeader, encoding: Encoding): Answer | Promise<Answer> {
  let answer: Answer | Promise<Answer> | undefined;
  try {
    const refused = refusedChanges(ctx, items, header);
    if (refused) {
      logCorrelation(ctx, header);
      return encodeAnswer(encoding, responseMessage(headOf(ctx, header), refused), refused.map(outcomeLabel));
    }
    const outcomes =
      header.asynchronous === 'Prohibited' ? runBatch(ctx, items, header.onError) : ctx.server.asynchronous.runLater(ctx, items, header, headOf(ctx, header));
    answer = outcomes instanceof Promise ? outcomes.then((all) => batchAnswer(ctx, header, all, encoding)) : batchAnswer(ctx, header, outcomes, encoding);
  } finally {
    if (!(answer instanceof Promise)) ctx.opening.end();
  }
  return answer instanceof Promise ? atEnd(answer, () => ctx.opening.end()) : answer;
}

function refusedChanges(ctx: BatchContext, items: readonly BatchItem[], header: RequestHeader): Outcome[] | undefined {
  const { maximumResponseSize: maximum } = header;
  return maximum === undefined ? undefined : refuseChanges(headOf(ctx, header), items, maximum, ctx.server.operations);
}

function batchAnswer(ctx: BatchContext, header: RequestHeader, outcomes: readonly Outcome[], encoding: Encoding): Answer {
  logCorrelation(ctx, header);
  const answer = limitSize(headOf(ctx, header), outcomes, header.maximumResponseSize, ctx.server.operations);
  const encoded = encodeAnswer(encoding, answer, labelsOf(outcomes));
  return header.asynchronous !== 'Prohibited' && outcomes.some(({ status }) => status === 'OperationPending') ? { ...encoded, submitted: true } : encoded;
}

/** @throws what is no Refusal */
function refuse(server: KeyServer, encoding: Encoding, version: Version, error: unknown): Answer {
  const refusal = refusalOf(error);
  if (!refusal) throw error;
  return refusedMessage(server, encoding, version, refusal);
}

/** A ticket is checked here, and by nobody else. */
const told = ({ type, username, password }: HeaderCredential): HeaderCredential => ({
  type,
  ...(username !== undefined && { username }),
  ...(password && { password: move(password) }),
});

/** The answer to a message if none of its items was started. */
function refusedMessage(server: KeyServer, encoding: Encoding, version: Version, { reason, message }: Refusal): Answer {
  return encodeAnswer(encoding, failedMessage({ version, now: Math.floor(server.now() / 1000), requestId: server.requestId() }, reason, message), [
    `?:${reason}`,
  ]);
}

function encodeAnswer(encoding: Encoding, answer: Structure, outcomes: readonly string[]): Answer {
  if (isJson(encoding)) return { status: 200, body: answerText(writeJson(answer, undefined, isCompact(encoding))), outcomes };
  return { status: 200, body: moveLarge(encoding === 'binary' ? encodeBinary(answer) : encodeXml(answer)), outcomes };
}

const isJson = (encoding: Encoding): encoding is 'json' | 'compact-json' => encoding === 'json' || encoding === 'compact-json';
const isCompact = (encoding: Encoding): boolean => encoding === 'compact-json';

interface Manner {
  readonly version: Version;
  readonly encoding: Encoding;
}

function serveBare(server: KeyServer, code: number, payload: Structure, { version, encoding }: Manner, caller: Principal): Answer | Promise<Answer> {
  const operation: OperationName = nameOf('Operation', code);
  const ctx = new BatchContext(server, caller, version);
  let answer: Answer | Promise<Answer> | undefined;
  try {
    const outcome = runItem(ctx, { operation, code, id: undefined, payload });
    answer = outcome instanceof Promise ? outcome.then((each) => bareAnswer(ctx, operation, each, encoding)) : bareAnswer(ctx, operation, outcome, encoding);
  } finally {
    if (!(answer instanceof Promise)) ctx.opening.end();
  }
  return answer instanceof Promise ? atEnd(answer, () => ctx.opening.end()) : answer;
}

function bareAnswer({ server, version }: BatchContext, operation: OperationName, outcome: Outcome, encoding: Encoding): Answer {
  if (outcome.failure) throw outcome.failure;
  if (outcome.status === 'OperationFailed')
    return toErrorAnswer(server, 422, `${spelledReason(outcome.reason, version, operation)}: ${outcome.message ?? ''}`, outcomeLabel(outcome));
  const { correlationValue, of = { operation }, payload = correlationValue ? [bytes(TAG.AsynchronousCorrelationValue, correlationValue)] : [] } = outcome;
  const body = writeJson(structure(TAG.ResponsePayload, payload), `${of.operation}Response`, isCompact(encoding));
  return { status: 200, body: answerText(body), outcomes: labelsOf([outcome]) };
}

/** An error in the format that all HTTP endpoints use. */
function toErrorAnswer({ requestId }: KeyServer, status: number, message: string, outcome: string): Answer {
  const body = { code: status === 404 ? 'NOT_FOUND' : 'KEYS_REFUSED', message, errors: [message], request_id: requestId() };
  return { status, body: JSON.stringify(body), outcomes: [outcome] };
}
