// POST /login: finds out which credential is presented, has it proven, and makes the session.
import { randomUUID } from 'node:crypto';
import type { Realm } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request, Response } from '../../kernel/http/route.ts';
import { sourceOf } from '../../kernel/http/source.ts';
import type { AuthContext } from './actors.ts';
import { parseBasic } from './basic.ts';
import { cookieKeys, newCookieValue, setCookie } from './cookie.ts';
import { proveCertificate } from './login-certificate.ts';
import { provePassword } from './login-password.ts';
import { proveToken } from './login-token.ts';
import { isRealmId } from './realms.ts';

interface LoginBody {
  readonly totp_code?: string | null;
  readonly new_password?: string | null;
}

export type LoginRequest = Request<LoginBody | undefined>;

/** What a proven credential makes a session of. */
interface Proven {
  readonly realm: Realm;
  /** Account of the realm. */
  readonly provenRealm: string | null;
  readonly username: string;
  /** Scheme code. */
  readonly scheme: 'up' | 'jwt' | 'cc';
  /** Revision of the credential; null for schemes without one. */
  readonly revision: number | null;
  readonly roles: readonly string[];
  readonly extraClaims: Readonly<Record<string, unknown>>;
}

/** A login ends with a proven credential, or with a step that the client has to take next. */
export type LoginEnd = Proven | 'TotpRequired' | 'ChangePassword';

export function loginHandler(ctx: AuthContext, count: (outcome: string) => void) {
  return async (request: LoginRequest): Promise<Response> => {
    try {
      const end = await prove(ctx, request);
      const response = typeof end === 'string' ? { status: 200, body: { next_step: end, session_id: null } } : await authenticated(ctx, end, request.address);
      count(typeof end === 'string' ? end : 'Authenticated');
      return response;
    } catch (error) {
      if (error instanceof Fault && error.code === 'AUTH_DENIED') count('Refused');
      throw error;
    }
  };
}

/** The header decides where it is present; a client certificate counts without one. The session cookie means nothing here. */
function prove(ctx: AuthContext, request: LoginRequest): Promise<LoginEnd> {
  const authorization = request.headers['authorization'] as string | undefined;
  if (authorization === undefined)
    return request.certificate ? proveCertificate(ctx, request, request.certificate.commonName) : refuse(ctx, request, 'no credentials');
  const credentials = parseBasic(authorization);
  if (credentials) return provePassword(ctx, request, credentials);
  const token = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(authorization)?.[1];
  return token === undefined ? refuse(ctx, request, 'malformed credentials') : proveToken(ctx, request, token);
}

/** @throws Fault AUTH_DENIED, always, after the row of the refusal is written */
export async function refuse(ctx: AuthContext, { query, address }: LoginRequest, reason: string, scheme?: string): Promise<never> {
  // People type passwords into the wrong field: what cannot be the id of a realm is not stored.
  const realm = isRealmId(query['realm'] as string) ? query['realm'] : undefined;
  await ctx.actors.directory.at('main').record({ event: 'login', outcome: 'refused', realm, actor: 'unknown', scheme, source: sourceOf(address), reason });
  throw new Fault('AUTH_DENIED');
}

async function authenticated(ctx: AuthContext, proven: Proven, address: string): Promise<Response> {
  const { realm, ...rest } = proven;
  const value = newCookieValue();
  const { sessionId: id, hash: cookieHash } = cookieKeys(value) as NonNullable<ReturnType<typeof cookieKeys>>;
  const ages = { maxAgeSeconds: realm.session_max_age_seconds, maxStaleAgeSeconds: realm.session_max_stale_age_seconds };
  const session = { ...rest, ...ages, id, cookieHash, realm: realm.id, jti: randomUUID(), source: sourceOf(address) };
  if (!(await ctx.actors.session.of(id).create(session))) throw new Fault('AUTH_DENIED');
  return { status: 200, body: { next_step: 'Authenticated', session_id: id }, headers: { 'set-cookie': setCookie(value, ages.maxAgeSeconds) } };
}
