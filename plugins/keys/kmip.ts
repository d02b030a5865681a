// The routes /kmip...: a message in, the actor's answer out; both stay unparsed bytes here.
import type { Encoding, Endpoint } from '../../actors/kmip/api.ts';
import { andThen } from '../../kernel/at-once.ts';
import { Fault } from '../../kernel/fault.ts';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import type { Request, Route } from '../../kernel/http/route.ts';
import type { KeysContext } from './actors.ts';
import type { KeysConfig } from './config.ts';
import { type From, serveMessage } from './header-credentials.ts';
import { JSON_NAMES_HEADER, jsonNames } from './json-names.ts';
import { BARE_OPERATION, EXAMPLES, FAILURE, LEGACY_EXAMPLES, MAX_MESSAGE_BYTES, XML_EXAMPLE } from './kmip-bodies.ts';

const TYPES: Readonly<Record<Encoding, string>> = {
  json: 'application/json; charset=utf-8',
  'compact-json': 'application/json; charset=utf-8',
  binary: 'application/octet-stream',
  xml: 'text/xml; charset=utf-8',
};
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['application/json', 'json'],
  ['application/octet-stream', 'binary'],
  ['text/xml', 'xml'],
  ['application/xml', 'xml'],
]);
const NO_BODY = new Uint8Array(0);

/** @param count counts operations by their outcome */
export function kmipRoutes(ctx: KeysContext, count: (outcomes: readonly string[]) => void): readonly Route[] {
  const route = (path: string, endpoint: Endpoint, summary: string): Route => ({
    method: 'POST',
    path,
    auth: CREDENTIAL_KINDS,
    rawBody: true,
    bodyLimit: MAX_MESSAGE_BYTES,
    body: BARE_OPERATION,
    bodyTypes: endpoint === 'any' ? [...ENCODINGS.keys()] : ['application/json'],
    bodyExamples: endpoint === 'any' ? { ...EXAMPLES, 'What can this server do?': XML_EXAMPLE } : endpoint === '2_1' ? EXAMPLES : LEGACY_EXAMPLES,
    tag: 'KMIP',
    summary,
    responses: {
      200: {
        description: `the answer of the operation, or a ResponseMessage for a RequestMessage, in the encoding of the request; the header ${JSON_NAMES_HEADER} (profile or compact) or the configuration selects the spelling of names in JSON`,
        schema: BARE_OPERATION,
        types: endpoint === 'any' ? Object.values(TYPES) : [TYPES.json],
      },
      400: { description: `this endpoint does not accept the content type, or ${JSON_NAMES_HEADER} is neither profile nor compact` },
      404: { description: 'the tag is not a KMIP operation', schema: FAILURE },
      413: { description: 'the body is larger than 64 MiB' },
      422: { description: 'the operation failed; the message begins with the result reason', schema: FAILURE },
      503: { description: 'too busy, the key server is sealed, or this part of the server is down' },
    },
    handle(request: Request<Uint8Array | undefined>) {
      const encoding = encodingOf(ctx.config, request, endpoint);
      const bytes = request.body ?? NO_BODY.slice();
      return andThen(serveMessage(ctx, { kmip: ctx.actors.kmip, bytes, encoding, endpoint }, request as From), ({ status, body, outcomes }) => {
        count(outcomes);
        return { status, body, type: TYPES[encoding], once: true };
      });
    },
  });
  return [
    route('/kmip/2_1', '2_1', 'KMIP 2.1 in JSON: one operation, or a RequestMessage'),
    route('/kmip/1_4', '1_4', 'KMIP 1.4 in JSON: one operation, or a RequestMessage'),
    route('/kmip', 'any', 'KMIP 1.0 to 2.1 and 3.0 in JSON, in XML (text/xml) or in TTLV (application/octet-stream)'),
  ];
}

/** @throws Fault BAD_REQUEST for a content type that the endpoint does not accept, or an unknown spelling of names */
function encodingOf(config: KeysConfig, request: Request, endpoint: Endpoint): Encoding {
  const type = String(request.headers['content-type'] ?? '');
  const encoding = ENCODINGS.get(type) ?? ENCODINGS.get((type.split(';', 1)[0] as string).trim().toLowerCase());
  if (encoding === 'json') return jsonNames(config, request) === 'compact' ? 'compact-json' : 'json';
  if (encoding !== undefined && endpoint === 'any') return encoding;
  const known = endpoint === 'any' ? [...ENCODINGS.keys()].join(', ') : 'application/json';
  throw new Fault('BAD_REQUEST', { detail: `the content type must be ${endpoint === 'any' ? 'one of ' : ''}${known}` });
}
