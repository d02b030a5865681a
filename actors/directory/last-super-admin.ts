// The rule that a super admin who can sign in must remain. It is checked in the transaction of every change that could break it.
import { Fault } from '../../kernel/fault.ts';
import { HELD_ID } from '../../kernel/store/accounts.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import type { AuthParams } from './api.ts';
import type { IdentityProvider } from './realm.ts';

/** A credential of realm `_` to whose account the record of a super admin is bound. A credential of somebody else who has the name by now does not count. */
const BY_PASSWORD = `SELECT admin.id AS id FROM userpass CROSS JOIN admin_account CROSS JOIN admin CROSS JOIN admin_realm
  WHERE userpass.realm = '_' AND admin_account.account = (${HELD_ID.replace('$1', "'_/' || userpass.username")})
    AND admin.id = admin_account.admin AND admin.userpass = userpass.username AND admin_realm.admin = admin.id AND admin_realm.realm = '_' LIMIT 1`;
/** An account that has signed in to `_` with one of these schemes and has the rights of a super admin. proven_way comes first because it has few rows: SQLite keeps the order of CROSS JOIN. */
const BY_SCHEME = `SELECT proven_way.account AS account FROM proven_way CROSS JOIN admin_account CROSS JOIN admin_realm
  WHERE proven_way.scheme IN ($1, $2) AND admin_account.account = proven_way.account
    AND admin_realm.admin = admin_account.admin AND admin_realm.realm = '_' LIMIT 1`;

/**
 * An existing password counts as a way to sign in. A certificate or a user of an identity provider counts only after it was used to sign in: the
 * server cannot know otherwise whether anybody has the name in the record.
 * @throws Fault AUTH_LAST_SUPER_ADMIN, which undoes the transaction
 */
export async function keepSuperAdmin(tx: Transaction, clientCertificates: boolean): Promise<void> {
  const params = await authParams(tx);
  const passwords = params.username_password_params?.enabled !== false;
  if (passwords && (await tx.get(BY_PASSWORD))) return;
  const schemes = [clientCertificates ? 'cc' : '', providersOf(params).length > 0 ? 'jwt' : ''];
  if (await tx.get(BY_SCHEME, schemes)) return;
  throw new Fault('AUTH_LAST_SUPER_ADMIN');
}

/** Called before realm `_` gets new `auth_params`: after a change of providers, earlier sign-ins with tokens no longer prove that these users can sign in. */
export async function forgetProviders(tx: Transaction, next: AuthParams): Promise<void> {
  const before = await authParams(tx);
  if (keyOf(providersOf(before)) !== keyOf(providersOf(next))) await tx.run("DELETE FROM proven_way WHERE scheme = 'jwt'");
}

async function authParams(tx: Transaction): Promise<AuthParams> {
  const realm = await tx.get<{ auth_params: string }>("SELECT auth_params FROM realm WHERE id = '_'");
  return JSON.parse(realm?.auth_params ?? '{}') as AuthParams;
}

function providersOf({ jwt_params: params }: AuthParams): readonly IdentityProvider[] {
  return params?.idp_params ?? [];
}

function keyOf(providers: readonly IdentityProvider[]): string {
  return JSON.stringify(providers.map(({ jwt_issuer_uri: issuer, jwks_uri: uri, jwt_audience: audience }) => [issuer, uri, audience ?? null]));
}
