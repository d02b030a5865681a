// The rule that a super admin is left who can sign in: looked at in the transaction of every change that could break it.
import { Fault } from '../../kernel/fault.ts';
import type { Transaction } from '../../kernel/store/store.ts';
import { isBound } from './admin-accounts.ts';
import type { AuthParams } from './api.ts';

interface Way {
  readonly id: string;
  readonly userpass: string | null;
  readonly jwt: string | null;
  readonly client_certificate: string | null;
}

/** @throws Fault AUTH_LAST_SUPER_ADMIN, which undoes the transaction */
export async function keepSuperAdmin(tx: Transaction, clientCertificates: boolean): Promise<void> {
  const realm = await tx.get<{ auth_params: string }>("SELECT auth_params FROM realm WHERE id = '_'");
  const params = JSON.parse(realm?.auth_params ?? '{}') as AuthParams;
  const ways = await tx.all<Way>(
    "SELECT id, userpass, jwt, client_certificate FROM admin JOIN admin_realm ON admin_realm.admin = admin.id WHERE admin_realm.realm = '_'",
  );
  const passwords = params.username_password_params?.enabled !== false;
  const providers = (params.jwt_params?.idp_params ?? []).length > 0;
  for (const { id, userpass, jwt, client_certificate } of ways) {
    if (jwt !== null && providers) return;
    if (client_certificate !== null && clientCertificates) return;
    // A credential of somebody else, who has the name by now, opens nothing.
    if (passwords && userpass !== null && (await isBound(tx, id, '_', userpass))) return;
  }
  throw new Fault('AUTH_LAST_SUPER_ADMIN');
}
