// The rule that a super admin is left who can sign in: looked at in the transaction of every change that could break it.
import { Fault } from '../../kernel/fault.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { isBound } from './admin-accounts.ts';
import { SUPER_REALM } from './administered.ts';
import type { AuthParams } from './api.ts';
import type { IdentityProvider } from './realm.ts';

interface SuperAdmin {
  readonly id: string;
  readonly userpass: string | null;
}

/**
 * A password that is there is a way in. A certificate or a user of an identity provider is one when somebody has signed in by it: nobody here
 * can tell whether the name that a record gives is anybody's.
 * @throws Fault AUTH_LAST_SUPER_ADMIN, which undoes the transaction
 */
export async function keepSuperAdmin(tx: Transaction, clientCertificates: boolean): Promise<void> {
  const params = await authParams(tx);
  const passwords = params.username_password_params?.enabled !== false;
  const usable = new Set([...(clientCertificates ? ['cc'] : []), ...(providersOf(params).length > 0 ? ['jwt'] : [])]);
  const superAdmins = await tx.all<SuperAdmin>("SELECT id, userpass FROM admin JOIN admin_realm ON admin_realm.admin = admin.id WHERE admin_realm.realm = '_'");
  for (const { id, userpass } of superAdmins) {
    if ((await provenSchemes(tx, id)).some((scheme) => usable.has(scheme))) return;
    // A credential of somebody else, who has the name by now, opens nothing.
    if (passwords && userpass !== null && (await isBound(tx, id, SUPER_REALM, userpass))) return;
  }
  throw new Fault('AUTH_LAST_SUPER_ADMIN');
}

/** Realm `_` is about to get these ways to sign in: who came from other providers, or by another name of theirs, has not shown that they still can. */
export async function forgetProviders(tx: Transaction, next: AuthParams): Promise<void> {
  const before = await authParams(tx);
  if (keyOf(providersOf(before)) !== keyOf(providersOf(next))) await tx.run("DELETE FROM proven_way WHERE scheme = 'jwt'");
}

/** By which schemes somebody has signed in to `_` with the rights of the record; sign-ins write the rows. */
async function provenSchemes(tx: Transaction, admin: string): Promise<readonly string[]> {
  const sql = 'SELECT proven_way.scheme AS scheme FROM admin_account JOIN proven_way ON proven_way.account = admin_account.account WHERE admin = $1';
  return (await tx.all<{ scheme: string }>(sql, [admin])).map(({ scheme }) => scheme);
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
