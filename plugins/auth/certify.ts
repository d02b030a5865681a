// POST /certify: issues a certificate that binds the caller's public key to the identity of the session.
import type { Static } from 'typebox';
import { Fault } from '../../kernel/fault.ts';
import type { Request, Response, Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import type { AuthContext } from './actors.ts';
import { COPIED_CLAIM, RESERVED_CLAIMS } from './claim-names.ts';
import { Query, RealmQuery } from './parameters.ts';
import { requireOwnRealm } from './whoami.ts';

const MAX_KEY_BYTES = 8_192;
/** Anchored at the start of the text, so that the regex engine scans it only once. */
const KEY = Type.String({
  maxLength: MAX_KEY_BYTES,
  pattern: '^(?:(?!-----BEGIN [^-]+-----)[\\s\\S])*-----BEGIN ([^-]+)-----[\\s\\S]+-----END \\1-----',
  description: `PEM, with BEGIN and END lines of the same label; at most ${MAX_KEY_BYTES} bytes`,
  examples: ['-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n'],
});
const BODY = Type.Object(
  {
    verification_key: KEY,
    claims: Type.Array(COPIED_CLAIM, { default: [], maxItems: 100 }),
    exclude_sub: Type.Boolean({ default: false }),
  },
  { additionalProperties: false },
);

export function certifyRoute(ctx: AuthContext): Route {
  return {
    method: 'POST',
    path: '/certify',
    auth: ['cookie'],
    permit: (asking) => void requireOwnRealm(asking),
    query: Query({ realm: Type.Optional(RealmQuery) }),
    body: BODY,
    handle: (request) => certify(ctx, request),
  };
}

async function certify(ctx: AuthContext, request: Request<Static<typeof BODY>>): Promise<Response> {
  const { realm: realmId, username, scheme, claims = {} } = requireOwnRealm(request);
  const { claims: names, exclude_sub: excludeSub } = request.body;
  const verificationKey = keyOf(request.body.verification_key);
  if (!ctx.config.certificate_signing) throw new Fault('AUTH_CERTIFY_OFF');
  const realm = await ctx.actors.directory.at('main').getRealm(realmId);
  if (!realm) throw new Fault('UNAUTHENTICATED');
  const copied = Object.fromEntries(names.flatMap((name) => (Object.hasOwn(claims, name) && !RESERVED_CLAIMS.has(name) ? [[name, claims[name]]] : [])));
  if (excludeSub && Object.keys(copied).length === 0)
    throw new Fault('BAD_REQUEST', { detail: 'body/exclude_sub: needs a claim that is listed in claims and present in the session' });
  const iat = Math.floor(ctx.clock.now() / 1000);
  const identity = { realm_id: realmId, ...(excludeSub ? {} : { sub: username }), auth_scheme: scheme, verification_key: verificationKey };
  const payload = { ...copied, ...identity, iat, exp: iat + realm.certificate_max_age_seconds };
  const certificate = await ctx.actors.directory.at('main').sign('certificate', payload);
  await ctx.actors.directory
    .at('main')
    .record({ event: 'certify', outcome: 'success', realm: realmId, actor: username, scheme, source: request.address, target: names.join(' ') });
  return { status: 200, body: { certificate } };
}

/**
 * Of every label that says so, whatever comes before and after, such as `PGP PRIVATE KEY BLOCK`. Labels may have single hyphens (RFC 7468 section 3);
 * old versions of PGP wrote SECRET.
 */
const PRIVATE_KEY = /-----BEGIN (?:(?!-----)[^\r\n])*(?:PRIVATE|SECRET)[ -]KEY/i;

/** Checks little: the server need not support the key. @returns the text unchanged, because others may compare it byte by byte */
function keyOf(given: string): string {
  if (Buffer.byteLength(given) > MAX_KEY_BYTES) throw new Fault('BAD_REQUEST', { detail: `body/verification_key: must have at most ${MAX_KEY_BYTES} bytes` });
  // The certificate would show it to everybody who is given it.
  if (PRIVATE_KEY.test(given)) throw new Fault('BAD_REQUEST', { detail: 'body/verification_key: must be the public key; this is the private one' });
  return given;
}
