// POST /login: determines which credential the request has, verifies it, and creates the session.
import { randomUUID } from 'node:crypto';
import { Fault } from '../../kernel/fault.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import type { Asking, Response } from '../../kernel/http/route.ts';
import { certificateRefused } from '../../kernel/http/tls/client-certificate.ts';
import { MAX_REALM_ID } from '../../kernel/realm-id.ts';
import type { AuthContext } from './actors.ts';
import { type BasicCredentials, parseBasic } from './basic.ts';
import { cookieKeys, newCookieValue, setCookie } from './cookie.ts';
import { proveCertificate } from './login-certificate.ts';
import { type LoginEnd, type LoginRequest, type Proven, refuse } from './login-end.ts';
import { provePassword } from './login-password.ts';
import { proveToken } from './login-token.ts';

export function loginHandler(ctx: AuthContext, count: (outcome: string) => void) {
  return async (request: LoginRequest): Promise<Response> => {
    try {
      const end = await prove(ctx, request);
      const response =
        typeof end === 'string' ? { status: 200, body: { next_step: end, session_id: null } } : await answerAuthenticated(ctx, end, request.address);
      count(typeof end === 'string' ? end : 'Authenticated');
      return response;
    } catch (error) {
      if (error instanceof Fault && error.code === 'AUTH_DENIED') count('Refused');
      throw error;
    }
  };
}

/** Refuses a request to a realm without a credential before its body is looked at. */
export function credentialRequired(ctx: AuthContext, count: (outcome: string) => void) {
  return async (asking: Asking): Promise<void> => {
    const { realm } = asking.query;
    if (typeof realm !== 'string' || realm === '' || realm.length > MAX_REALM_ID) return;
    const credential = credentialOf(asking);
    if (typeof credential === 'string') {
      count('Refused');
      await refuse(ctx, asking, credential);
    } else if ('basic' in credential) credential.basic.password.fill(0);
  };
}

type Credential = { readonly basic: BasicCredentials } | { readonly token: string } | { readonly commonName: string };

/** The Authorization header takes precedence over a client certificate. The session cookie is ignored. @returns why there is none, for the audit log */
function credentialOf(asking: Pick<Asking, 'headers' | 'certificate' | 'certificateRefusal'>): Credential | string {
  const authorization = asking.headers['authorization'] as string | undefined;
  if (authorization === undefined) {
    const { certificate, certificateRefusal: refusal } = asking;
    if (certificate) return { commonName: certificate.commonName };
    return refusal === undefined ? 'no credentials' : certificateRefused(refusal);
  }
  const basic = parseBasic(authorization);
  if (basic) return { basic };
  const token = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(authorization)?.[1];
  return token === undefined ? 'malformed credentials' : { token };
}

function prove(ctx: AuthContext, request: LoginRequest): Promise<LoginEnd> {
  const credential = credentialOf(request);
  if (typeof credential === 'string') return refuse(ctx, request, credential);
  if ('basic' in credential) return provePassword(ctx, request, credential.basic);
  return 'token' in credential ? proveToken(ctx, request, credential.token) : proveCertificate(ctx, request, credential.commonName);
}

async function answerAuthenticated(ctx: AuthContext, { realm, ...rest }: Proven, address: string): Promise<Response> {
  const value = newCookieValue();
  const { sessionId: id, hash: cookieHash } = cookieKeys(value) as NonNullable<ReturnType<typeof cookieKeys>>;
  const ages = { maxAgeSeconds: realm.session_max_age_seconds, maxStaleAgeSeconds: realm.session_max_stale_age_seconds };
  const proven = { authParams: JSON.stringify(realm.auth_params), source: sourceOf(address) };
  const session = { ...rest, ...ages, ...proven, id, cookieHash, realm: realm.id, jti: randomUUID() };
  if (!(await ctx.actors.session.of(id).create(session))) throw new Fault('AUTH_DENIED');
  return { status: 200, body: { next_step: 'Authenticated', session_id: id }, headers: { 'set-cookie': setCookie(value, ages.maxAgeSeconds) } };
}
