// Sign-in by password: drives the login machine through password, one-time code and password change.
import type { Factor, LoginView, ProvenLogin } from '../../actors/directory/api.ts';
import { Fault } from '../../kernel/fault.ts';
import { sourceOf } from '../../kernel/http/source.ts';
import { normalPassword } from '../../kernel/normal-form.ts';
import { move } from '../../kernel/runtime/bytes.ts';
import { callWith } from '../../kernel/runtime/lane.ts';
import type { AuditEvent } from '../../kernel/store/audit.ts';
import type { AuthContext } from './actors.ts';
import { type BasicCredentials, passwordBytes } from './basic.ts';
import { forgetInitialPassword } from './first-start.ts';
import { beginLogin, type LoginState, stepLogin } from './login.machine.ts';
import type { LoginEnd, LoginRequest } from './login.ts';
import { newPasswordProblem } from './new-password.ts';
import { isUsername } from './username.ts';

/** What is known of the login under way. */
interface Attempt {
  readonly realm: string;
  readonly username: string;
  readonly source: string;
  readonly found: LoginView;
  readonly code: string | undefined;
  readonly newPassword: string | undefined;
  readonly signal: AbortSignal;
  /** Revision of the credential that was proven. */
  revision: number;
  /** PHC string of the new password. */
  passwordHash: string | null;
  /** Why the new password cannot be used. */
  unfit: string | undefined;
  /** The factor that was refused. */
  failed: Factor | null;
}

export async function provePassword(
  ctx: AuthContext,
  { query, body, address, signal }: LoginRequest,
  { username, password }: BasicCredentials,
): Promise<LoginEnd> {
  const realm = query['realm'] as string;
  const source = sourceOf(address);
  const attempt: Attempt = {
    ...{ realm, username, source, signal, found: await ctx.actors.directory.at('main').login(realm, username, source) },
    ...{ code: body?.totp_code ?? undefined, newPassword: newPasswordOf(body) },
    ...{ revision: 0, passwordHash: null, unfit: undefined, failed: null },
  };
  let state = await primaryStep(ctx, beginLogin(), attempt, password);
  if (state.value === 'totp') state = await totpStep(ctx, state, attempt);
  if (state.value === 'password') state = await passwordStep(ctx, state, attempt);
  return finish(ctx, state, attempt);
}

/** Empty for one that is none in normal form: it is refused as too short. */
function newPasswordOf(body: LoginRequest['body']): string | undefined {
  const given = body?.new_password ?? undefined;
  return given === undefined ? undefined : (normalPassword(given) ?? '');
}

/** An unknown realm, an unknown user and a locked account cost a hash too, and are refused in the same words. */
async function primaryStep(ctx: AuthContext, state: LoginState, attempt: Attempt, password: Uint8Array): Promise<LoginState> {
  const { found, username, newPassword, code } = attempt;
  const usable = found.realm && found.realm.auth_params.username_password_params?.enabled !== false && isUsername(username) ? found.credential : null;
  // The old password is needed once more, to be compared with the new one.
  const proven = await callWith(ctx.actors.password, { signal: attempt.signal }).verify(usable?.passwordHash ?? null, move(new Uint8Array(password)));
  if (newPassword !== undefined && Buffer.compare(passwordBytes(newPassword), password) === 0) attempt.unfit = 'it is the old one';
  password.fill(0);
  if (!proven || !usable || !found.opens || found.locked.includes('password')) {
    attempt.failed = 'password';
    return stepLogin(state, { type: 'primary.refused' });
  }
  attempt.revision = usable.revision;
  const mustChange = usable.changePassword || (await isTooOld(ctx, attempt));
  return stepLogin(state, {
    type: 'primary.accepted',
    needs: { totp: usable.totp, code: code !== undefined, mustChange, offersNew: newPassword !== undefined },
  });
}

/** A password past the realm's age leads to its change, or is let in with a row in the audit log where the realm allows it. */
async function isTooOld(ctx: AuthContext, { found, realm, username, source }: Attempt): Promise<boolean> {
  const maxAge = found.realm?.password_max_age_seconds ?? 0;
  if (maxAge === 0 || ctx.clock.now() - (found.credential?.passwordSetAt ?? 0) <= maxAge * 1000) return false;
  if (found.realm?.auth_params.username_password_params?.allow_expired_passwords !== true) return true;
  await ctx.actors.directory.at('main').record({ event: 'password.expired', outcome: 'success', realm, actor: username, scheme: 'up', source });
  return false;
}

async function totpStep(ctx: AuthContext, state: LoginState, attempt: Attempt): Promise<LoginState> {
  const { realm, username, code, found } = attempt;
  const isGood = await ctx.actors.directory.at('main').checkTotp(realm, username, code as string);
  if (isGood && !found.locked.includes('totp')) return stepLogin(state, { type: 'totp.accepted' });
  attempt.failed = 'totp';
  return stepLogin(state, { type: 'totp.refused' });
}

/** Only hashed here: the change is part of the login's own transaction. */
async function passwordStep(ctx: AuthContext, state: LoginState, attempt: Attempt): Promise<LoginState> {
  const newPassword = attempt.newPassword as string;
  attempt.unfit ??= newPasswordProblem(newPassword, attempt.username);
  if (attempt.unfit !== undefined) return stepLogin(state, { type: 'password.unfit' });
  attempt.passwordHash = await ctx.actors.password.hash(move(passwordBytes(newPassword)));
  return stepLogin(state, { type: 'password.fit' });
}

async function finish(ctx: AuthContext, state: LoginState, attempt: Attempt): Promise<LoginEnd> {
  const { realm, username, source, found, failed } = attempt;
  // The name of a failed login is stored only if it exists: people type passwords into the wrong field.
  const row = { event: 'login', realm: found.realm ? realm : undefined, actor: found.credential ? username : 'unknown', scheme: 'up', source } as const;
  const end = state.value === 'Authenticated' ? await complete(ctx, attempt) : state.value !== 'Refused' && (await interrupt(ctx, state.value, attempt, row));
  if (end) return end;
  await ctx.actors.directory.at('main').refuse({ ...row, outcome: 'refused', reason: failed ?? 'overtaken' }, failed, username, source);
  throw new Fault('AUTH_DENIED');
}

async function complete(ctx: AuthContext, attempt: Attempt): Promise<LoginEnd | undefined> {
  const { realm, username, passwordHash, found } = attempt;
  const signedIn = await ctx.actors.directory.at('main').complete({ ...provenBy(attempt), passwordHash });
  if (signedIn === null || !found.realm) return undefined;
  if (passwordHash !== null && realm === '_') forgetInitialPassword(ctx.dataDir, username);
  return { realm: found.realm, provenRealm: found.realmAccount, username, scheme: 'up', ...signedIn };
}

/** The password was right, whatever comes next: it is written down, and refused like a wrong one when a lock has come meanwhile. */
async function interrupt(ctx: AuthContext, reached: LoginState['value'], attempt: Attempt, row: Omit<AuditEvent, 'outcome'>): Promise<LoginEnd | undefined> {
  const reason = reached === 'Unfit' ? 'the new password cannot be used' : reached;
  if (!(await ctx.actors.directory.at('main').interrupt(provenBy(attempt), { ...row, outcome: 'failure', reason }))) return undefined;
  if (reached === 'Unfit') throw new Fault('AUTH_PASSWORD_UNFIT', { detail: `the new password cannot be used: ${attempt.unfit}` });
  return reached as 'TotpRequired' | 'ChangePassword';
}

function provenBy({ realm, username, source, revision, code }: Attempt): ProvenLogin {
  return { realm, username, source, revision, code: code ?? null };
}
