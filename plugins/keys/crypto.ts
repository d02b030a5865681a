// The routes /v1/crypto/...: JOSE-like JSON in and out, and one error body for every refusal after authentication.
import type { TSchema } from 'typebox';
import type { CryptoCall } from '../../actors/kmip/api.ts';
import { andThen } from '../../kernel/at-once.ts';
import { Fault } from '../../kernel/fault.ts';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import type { Refused, Request, ResponseDescription, Route } from '../../kernel/http/route.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import { atOnce } from '../../kernel/runtime/mailbox/remote.ts';
import Type from '../../kernel/type.ts';
import type { KeysContext } from './actors.ts';
import { ABOUT, ERROR, kid, maxBodyBytes, PROBLEM } from './crypto-bodies.ts';
import { principalIn } from './identity.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_BODY = new Uint8Array(0);
/** Error codes for refusals of the HTTP front; the actor writes those of its own. */
const ERRORS: Readonly<Record<number, string>> = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  503: 'unavailable',
  504: 'timeout',
};

/** @param count counts operations by their outcome */
export function cryptoRoutes(ctx: KeysContext, count: (outcomes: readonly string[]) => void): readonly Route[] {
  return ABOUT.map(({ method, path, name, summary, status, body, answer }) => ({
    method,
    path: `/v1/crypto${path}`,
    auth: CREDENTIAL_KINDS,
    // Also for routes without a body: one that a client sends anyway is not parsed.
    rawBody: true,
    bodyLimit: maxBodyBytes(name),
    ...(path.includes('{kid}') ? { params: Type.Object({ kid }) } : {}),
    ...(body ? { body } : {}),
    tag: 'REST Crypto API',
    summary,
    responses: responses(status, answer),
    refusal,
    handle(request: Request<Uint8Array | undefined>) {
      const bytes = body ? jsonIn(request) : NO_BODY.slice();
      const { kid: id } = request.params;
      const call = (id === undefined ? { name } : { name, kid: id }) as CryptoCall;
      return andThen(atOnce(ctx.actors.kmip).crypto(call, move(bytes), principalIn(ctx.config, request)), ({ status: answered, body: bodyOut, outcomes }) => {
        count(outcomes);
        return bodyOut.length === 0 ? { status: answered } : { status: answered, body: bodyOut, type: JSON_TYPE, once: true };
      });
    },
  }));
}

/** Refusals that come before the route and the caller are known have the error body of all other routes. */
const EITHER = Type.Union([ERROR, PROBLEM]);

function refusal({ code, status, message }: Refused): ReturnType<NonNullable<Route['refusal']>> {
  return { status, body: { error: code === 'KEY_SERVER_SEALED' ? 'key_server_sealed' : (ERRORS[status] ?? 'internal_error'), description: message } };
}

function responses(status: number, schema: TSchema | undefined): Readonly<Record<number, ResponseDescription>> {
  return {
    [status]: schema ? { description: 'success', schema } : { description: 'success, no content' },
    400: { description: 'the request is malformed', schema: EITHER },
    403: { description: 'not allowed', schema: EITHER },
    404: { description: 'there is no such key', schema: ERROR },
    408: { description: 'the body did not arrive in time', schema: EITHER },
    413: { description: 'the body is larger than `x-max-bytes`', schema: ERROR },
    415: { description: 'the body is encoded, gzip for example', schema: ERROR },
    422: { description: 'the algorithm is not supported, or the cryptography failed', schema: ERROR },
    429: { description: 'a quota is used up', schema: ERROR },
    500: { description: 'internal error', schema: EITHER },
    503: { description: 'too busy, the key server is sealed, or this part of the server is down', schema: EITHER },
    504: { description: 'no answer in time, the outcome is unknown', schema: EITHER },
  };
}

/** @throws Fault BAD_REQUEST for a body of another content type */
function jsonIn({ headers, body }: Request<Uint8Array | undefined>): Uint8Array {
  if (body === undefined || body.byteLength === 0) return NO_BODY.slice();
  if (!/^application\/json[ \t]*(;|$)/i.test(String(headers['content-type'] ?? '')))
    throw new Fault('BAD_REQUEST', { detail: 'the content type must be application/json' });
  return body;
}
