// Sign-in with a password: runs the login machine through password, one-time code and password change.
import type { ProvenLogin } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { sourceOf } from '../../kernel/http/connection/source.ts';
import { normalPassword } from '../../kernel/normal-form.ts';
import { move } from '../../kernel/runtime/channel/bytes.ts';
import { callWith } from '../../kernel/runtime/mailbox/remote.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import { isUsername } from '../../kernel/username.ts';
import type { AuthContext } from './actors.ts';
import { type BasicCredentials, passwordBytes } from './basic.ts';
import { forgetInitialPassword } from './first-start.ts';
import { beginLogin, type LoginContext, type LoginState, stepLogin } from './login.machine.ts';
import type { LoginEnd, LoginRequest } from './login-end.ts';
import { newPasswordProblem } from './new-password.ts';

export async function provePassword(
  ctx: AuthContext,
  { query, body, address, signal }: LoginRequest,
  { username, password }: BasicCredentials,
): Promise<LoginEnd> {
  const realm = query['realm'] as string;
  const source = sourceOf(address);
  let state: LoginState;
  try {
    const found = await ctx.actors.directory.at('main').findSignIn(realm, username, source);
    const begun = beginLogin({ realm, username, source, found, code: body?.totp_code ?? undefined, newPassword: newPasswordOf(body) });
    state = await primaryStep(ctx, begun, password, signal);
  } finally {
    password.fill(0);
  }
  if (state.value === 'totp') state = await totpStep(ctx, state);
  if (state.value === 'password') state = await passwordStep(ctx, state);
  return finish(ctx, state);
}

/** Empty if the text has no normal form; the empty password is then refused as too short. */
function newPasswordOf(body: LoginRequest['body']): string | undefined {
  const given = body?.new_password ?? undefined;
  return given === undefined ? undefined : (normalPassword(given) ?? '');
}

/** Unknown realms, unknown users and locked accounts also cost a hash, and are refused in the same words. */
async function primaryStep(ctx: AuthContext, state: LoginState, password: Uint8Array, signal: AbortSignal): Promise<LoginState> {
  const { found, username, newPassword } = state.context;
  const usable = found.realm && found.realm.auth_params.username_password_params?.enabled !== false && isUsername(username) ? found.credential : null;
  // Pass a copy: the old password is compared with the new one below.
  const proven = await callWith(ctx.actors.password, { signal }).verify(usable?.passwordHash ?? null, move(new Uint8Array(password)));
  const unfit = newPassword !== undefined && Buffer.compare(passwordBytes(newPassword), password) === 0 ? 'it must differ from the old password' : undefined;
  if (!proven || !usable || !found.opens || found.locked.includes('password')) return stepLogin(state, { type: 'primary.refused' });
  const mustChange = usable.changePassword || (await isTooOld(ctx, state.context));
  return stepLogin(state, { type: 'primary.accepted', revision: usable.revision, mustChange, unfit });
}

/** A password older than the realm allows must be changed, unless the realm allows expired passwords; then the audit log records its use. */
async function isTooOld(ctx: AuthContext, { found, realm, username, source }: LoginContext): Promise<boolean> {
  const maxAge = found.realm?.password_max_age_seconds ?? 0;
  if (maxAge === 0 || ctx.clock.now() - (found.credential?.passwordSetAt ?? 0) <= maxAge * 1000) return false;
  if (found.realm?.auth_params.username_password_params?.allow_expired_passwords !== true) return true;
  await ctx.actors.directory.at('main').record({ event: 'password.expired', outcome: 'success', realm, actor: username, scheme: 'up', source });
  return false;
}

async function totpStep(ctx: AuthContext, state: LoginState): Promise<LoginState> {
  const { realm, username, code, found } = state.context;
  const isGood = await ctx.actors.directory.at('main').checkTotp(realm, username, code as string);
  return stepLogin(state, { type: isGood && !found.locked.includes('totp') ? 'totp.accepted' : 'totp.refused' });
}

/** Hashes the new password only; the login's transaction stores it. */
async function passwordStep(ctx: AuthContext, state: LoginState): Promise<LoginState> {
  const { username, newPassword = '', unfit: problem } = state.context;
  const unfit = problem ?? newPasswordProblem(newPassword, username);
  if (unfit !== undefined) return stepLogin(state, { type: 'password.unfit', unfit });
  return stepLogin(state, { type: 'password.fit', passwordHash: await ctx.actors.password.hash(move(passwordBytes(newPassword))) });
}

async function finish(ctx: AuthContext, { value, context }: LoginState): Promise<LoginEnd> {
  const { realm, username, source, found, failed, code } = context;
  // People type passwords into the wrong field: the name of a failed login is stored only if such a user exists.
  const row = { event: 'login', realm: found.realm ? realm : undefined, actor: found.credential ? username : 'unknown', scheme: 'up', source } as const;
  const end = value === 'Authenticated' ? await complete(ctx, context) : value !== 'Refused' && (await interrupt(ctx, value, context, row));
  if (end) return end;
  const refused = { ...row, outcome: 'refused', reason: failed ?? 'the account changed meanwhile' } as const;
  await ctx.actors.directory.at('main').refuse(refused, failed, username, source, code);
  throw new Fault('AUTH_DENIED');
}

async function complete(ctx: AuthContext, context: LoginContext): Promise<LoginEnd | undefined> {
  const { realm, username, passwordHash, found } = context;
  const signedIn = await ctx.actors.directory.at('main').complete({ ...toProvenLogin(context), passwordHash, beginsSession: true });
  if (signedIn === null || !found.realm) return undefined;
  if (passwordHash !== null && realm === '_') forgetInitialPassword(ctx.dataDir, username);
  return { realm: found.realm, provenRealm: found.realmAccount, username, scheme: 'up', ...signedIn };
}

/** The password was correct, but the login does not end yet: records that, and refuses like a wrong password if the account was locked meanwhile. */
async function interrupt(
  ctx: AuthContext,
  reached: LoginState['value'],
  context: LoginContext,
  row: Omit<AuditEvent, 'outcome'>,
): Promise<LoginEnd | undefined> {
  const reason = reached === 'Unfit' ? 'the new password cannot be used' : reached;
  if (!(await ctx.actors.directory.at('main').interrupt(toProvenLogin(context), { ...row, outcome: 'failure', reason }))) return undefined;
  if (reached === 'Unfit') throw new Fault('AUTH_PASSWORD_UNFIT', { detail: `the new password cannot be used: ${context.unfit}` });
  return reached as 'TotpRequired' | 'ChangePassword';
}

function toProvenLogin({ realm, username, source, revision, code }: LoginContext): ProvenLogin {
  return { realm, username, source, revision, code: code ?? null };
}
