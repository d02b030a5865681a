// POST /login: drives the login machine through its steps and makes the session.
import { randomUUID } from 'node:crypto';
import type { CredentialView, LoginView } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Request, Response } from '../../kernel/http/route.ts';
import { move } from '../../kernel/runtime/bytes.ts';
import { callWith } from '../../kernel/runtime/lane.ts';
import type { AuthContext } from './actors.ts';
import { type BasicCredentials, parseBasic, passwordBytes } from './basic.ts';
import { cookieKeys, newCookieValue, setCookie } from './cookie.ts';
import { forgetInitialPassword } from './first-start.ts';
import { beginLogin, type LoginState, stepLogin } from './login.machine.ts';
import { newPasswordProblem } from './new-password.ts';
import { isUsername } from './username.ts';

export interface LoginBody {
  readonly totp_code?: string | null;
  readonly new_password?: string;
}

/** What is known of the login under way. */
interface Attempt {
  readonly realm: string;
  readonly username: string;
  readonly source: string;
  readonly found: LoginView;
  /** Revision of the credential that was proven, or that this login made. */
  revision: number;
  /** Why the new password cannot be used. */
  unfit: string | undefined;
}

export function loginHandler(ctx: AuthContext, count: (outcome: string) => void) {
  return async (request: Request<LoginBody | undefined>): Promise<Response> => {
    const credentials = parseBasic(request.headers['authorization'] as string | undefined);
    if (!credentials) throw new Fault('AUTH_DENIED');
    const realm = request.query['realm'] as string;
    const { username } = credentials;
    const attempt: Attempt = {
      realm,
      username,
      source: request.address,
      found: await ctx.actors.directory.at('main').login(realm, username),
      revision: 0,
      unfit: undefined,
    };
    const newPassword = request.body?.new_password?.normalize('NFC');
    let state = await primaryStep(ctx, beginLogin(), attempt, credentials, newPassword, request.signal);
    if (state.value === 'password') state = await passwordStep(ctx, state, attempt, newPassword as string);
    count(state.value);
    return finish(ctx, state, attempt);
  };
}

/** An unknown realm or user costs a hash too, and is refused in the same words. */
async function primaryStep(
  ctx: AuthContext,
  state: LoginState,
  attempt: Attempt,
  { username, password }: BasicCredentials,
  newPassword: string | undefined,
  signal: AbortSignal,
): Promise<LoginState> {
  const { realm, credential } = attempt.found;
  const usable = realm?.passwordsEnabled && isUsername(username) ? credential : null;
  // The old password is needed once more, to be compared with the new one.
  const proven = await callWith(ctx.actors.password, { signal }).verify(usable?.passwordHash ?? null, move(new Uint8Array(password)));
  if (newPassword !== undefined && Buffer.compare(passwordBytes(newPassword), password) === 0) attempt.unfit = 'it is the old one';
  password.fill(0);
  if (!proven || !usable) return stepLogin(state, { type: 'primary.refused' });
  attempt.revision = usable.revision;
  return stepLogin(state, { type: 'primary.accepted', mustChange: usable.changePassword, offersNew: newPassword !== undefined });
}

async function passwordStep(ctx: AuthContext, state: LoginState, attempt: Attempt, newPassword: string): Promise<LoginState> {
  const { realm, username, source, revision } = attempt;
  attempt.unfit ??= newPasswordProblem(newPassword, username);
  if (attempt.unfit !== undefined) return stepLogin(state, { type: 'password.unfit' });
  const passwordHash = await ctx.actors.password.hash(move(passwordBytes(newPassword)));
  const changed = await ctx.actors.directory.at('main').changePassword({ realm, username, revision, passwordHash, source });
  if (changed === null) return stepLogin(state, { type: 'password.refused' });
  attempt.revision = changed;
  if (realm === '_') forgetInitialPassword(ctx.dataDir, username);
  return stepLogin(state, { type: 'password.changed' });
}

async function finish(ctx: AuthContext, state: LoginState, attempt: Attempt): Promise<Response> {
  const { realm, username, source, found } = attempt;
  const { record } = ctx.actors.directory.at('main');
  // The name of a failed login is stored only if it exists: people type passwords into the wrong field.
  const actor = found.credential ? username : 'unknown';
  const row = { event: 'login', realm: found.realm ? realm : undefined, actor, scheme: 'up', source } as const;
  switch (state.value) {
    case 'Authenticated':
      return authenticated(ctx, attempt);
    case 'ChangePassword':
      await record({ ...row, outcome: 'failure', reason: 'ChangePassword' });
      return { status: 200, body: { next_step: 'ChangePassword', session_id: null } };
    case 'Unfit':
      throw new Fault('AUTH_PASSWORD_UNFIT', { detail: `the new password cannot be used: ${attempt.unfit}` });
    default:
      await record({ ...row, outcome: 'refused' });
      throw new Fault('AUTH_DENIED');
  }
}

async function authenticated(ctx: AuthContext, { realm, username, source, found, revision }: Attempt): Promise<Response> {
  const { sessionMaxAgeSeconds: maxAgeSeconds, sessionMaxStaleAgeSeconds: maxStaleAgeSeconds } = found.realm as NonNullable<LoginView['realm']>;
  const { roles, extraClaims } = found.credential as CredentialView;
  const value = newCookieValue();
  const { sessionId: id, hash: cookieHash } = cookieKeys(value) as NonNullable<ReturnType<typeof cookieKeys>>;
  const session = {
    id,
    cookieHash,
    realm,
    username,
    scheme: 'up',
    maxAgeSeconds,
    maxStaleAgeSeconds,
    jti: randomUUID(),
    roles,
    extraClaims: extraClaims ?? {},
    revision,
    source,
  };
  if (!(await ctx.actors.session.of(id).create(session))) throw new Fault('AUTH_DENIED');
  return { status: 200, body: { next_step: 'Authenticated', session_id: id }, headers: { 'set-cookie': setCookie(value, maxAgeSeconds) } };
}
