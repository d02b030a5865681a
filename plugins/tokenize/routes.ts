// The routes /tokenize/...: bytes in, the actor's JSON out, and one error body for every fault of a request.
import type { TokenizeMethod } from '../../actors/tokenize/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import type { Request, Route } from '../../kernel/http/route.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import Type from '../../kernel/type.ts';
import type { TokenizeContext } from './actors.ts';
import { ABOUT } from './bodies.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const REFUSAL = Type.Object({ code: Type.Literal(422), message: Type.String() }, { additionalProperties: false });
/** Faults that a different request avoids. Faults about the server or the caller's rights keep the usual error body. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'ENCODED', 'TOKENIZE_REFUSED', 'TOKENIZE_TIME_LIMIT']);

export function tokenizeRoutes(ctx: TokenizeContext): readonly Route[] {
  if (!ctx.config.enabled) return [];
  return (Object.keys(ABOUT) as TokenizeMethod[]).map((method) => route(ctx, method));
}

function route({ config, actors }: TokenizeContext, method: TokenizeMethod): Route {
  const { summary, body, examples, result } = ABOUT[method];
  return {
    method: 'POST',
    path: `/tokenize/${method}`,
    auth: config.open ? 'none' : CREDENTIAL_KINDS,
    ownPages: true,
    rawBody: true,
    body,
    bodyExamples: examples,
    bodyLimit: config.body_limit,
    tag: 'Anonymization',
    summary,
    responses: {
      200: { description: 'the result', schema: Type.Object({ result }) },
      422: { description: 'the request is invalid', schema: REFUSAL },
      503: { description: 'too busy, try again' },
    },
    refusal: ({ code, message }) => (OF_THE_REQUEST.has(code) ? { status: 422, body: { code: 422, message } } : undefined),
    async handle(request) {
      const answer = await actors.tokenize.run(method, move(new Uint8Array(bodyOf(request)))).catch(refuseLate);
      return { status: 200, body: answer, type: JSON_TYPE };
    },
  };
}

function bodyOf({ headers, body }: Request<Uint8Array | undefined>): Uint8Array {
  if (body === undefined) throw new Fault('TOKENIZE_REFUSED', { detail: 'the body is empty: send a JSON object' });
  if (!/^application\/json[ \t]*(;|$)/i.test(String(headers['content-type'] ?? '')))
    throw new Fault('TOKENIZE_REFUSED', { detail: 'the content type must be application/json' });
  return body;
}

/** A timeout refuses the request: it changes nothing, so DEADLINE's "the outcome is unknown" does not apply. */
function refuseLate(error: unknown): never {
  throw error instanceof Fault && error.code === 'DEADLINE' ? new Fault('TOKENIZE_TIME_LIMIT', { cause: error }) : error;
}
