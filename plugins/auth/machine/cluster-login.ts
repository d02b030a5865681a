// POST /auth/cluster/login: issues a token for the JWT of a cluster's service account.
import type { Static } from 'typebox';
import type { JwtOutcome } from '../../../actors/identity/api.ts';
import type { ClusterRole } from '../../../actors/token/api.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import { callWith } from '../../../kernel/runtime/mailbox/remote.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { MAX_LOGIN_BYTES, MAX_MEMBERS } from '../parameters.ts';
import { newAppToken } from './app-token.ts';
import { isRoleName } from './role.ts';
import type { TokenForm } from './token-form.ts';

/** The JWTs of service accounts have one to two thousand characters. */
const MAX_JWT_CHARACTERS = 16_384;
const BODY = Type.Object({ role: Type.String({ maxLength: 1_024 }), jwt: Type.String({ maxLength: MAX_JWT_CHARACTERS }) }, { maxProperties: MAX_MEMBERS });
type LoginRequest = Request<Static<typeof BODY>>;

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384'];
const REFRESH_SECONDS = 60;
/** Names of RFC 1123: a label of 63 characters for the namespace, a subdomain of 253 for the account. */
const SUBJECT = /^system:serviceaccount:([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/;

export function clusterLoginRoutes(ctx: AuthContext, form: TokenForm, count: () => void): readonly Route[] {
  const handle = async (request: LoginRequest): Promise<Response> => {
    const { role: name } = request.body;
    const role = isRoleName(name) ? await ctx.actors.token.of(name).clusterRole(name) : null;
    if (!role) return refuse(ctx, request, 'AUTH_JWT_DENIED', { reason: 'unknown role' });
    const outcome = await verify(ctx, role, request);
    if (!outcome.ok) return refuse(ctx, request, 'AUTH_JWT_DENIED', { target: name, reason: outcome.reason });
    const [, namespace, account] = SUBJECT.exec(String(outcome.claims['sub'])) ?? [];
    if (namespace === undefined || account === undefined)
      return refuse(ctx, request, 'AUTH_JWT_DENIED', { target: name, reason: 'the subject is not a service account' });
    const entity = `${namespace}/${account}`;
    if (!allows(role.serviceAccountNamespaces, namespace) || !allows(role.serviceAccountNames, account))
      return refuse(ctx, request, 'AUTH_SERVICE_ACCOUNT_DENIED', { target: name, reason: 'service account not allowed', actor: entity });
    const { value, token } = newAppToken(request.address);
    const login = await ctx.actors.token.of(name).loginCluster({ ...token, role: name, revision: role.revision, entity });
    if (login.outcome !== 'issued') throw new Fault('AUTH_JWT_DENIED');
    count();
    return { status: 200, body: { auth: form.formatIssued(value, login.token) } };
  };
  return [{ method: 'POST', path: '/auth/cluster/login', auth: 'none', anyContentType: true, body: BODY, bodyLimit: MAX_LOGIN_BYTES, handle }];
}

function verify(ctx: AuthContext, role: ClusterRole, { body, signal }: LoginRequest): Promise<JwtOutcome> {
  return callWith(ctx.actors.identity.at('main'), { signal }).verifyJwt({
    token: body.jwt,
    keySets: [{ issuer: role.expectedIssuer, jwksUri: role.jwksUrl, audiences: role.audiences }],
    algorithms: ALGORITHMS,
    requireIssuer: role.expectedIssuer !== null,
    minRefreshSeconds: REFRESH_SECONDS,
    requireKid: false,
  });
}

function allows(bound: readonly string[], name: string): boolean {
  return bound.includes('*') || bound.includes(name);
}

/** The client gets only the fault code; the audit log says what was wrong, and names the role only if it exists. */
async function refuse(ctx: AuthContext, request: LoginRequest, code: string, row: { target?: string; reason: string; actor?: string }): Promise<never> {
  const { actor = 'unknown', ...rest } = row;
  const event = { event: 'cluster.login', outcome: 'refused', actor, scheme: 'token', source: request.address, ...rest } as const;
  await ctx.actors.token.of(rest.target ?? '').record(event);
  throw new Fault(code);
}
