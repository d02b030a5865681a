// Which accounts an admin record stands for: those that had its names when somebody entitled wrote it, or were the first to have them after.
import { realmScope, userName } from '../../kernel/store/account-name.ts';
import { accountToBe, HELD_ID } from '../../kernel/store/accounts.ts';
import type { Reader, Transaction } from '../../kernel/store/store.ts';
import type { AdminRecord } from './api.ts';

/** A session in it has the rights of all realms of the record. */
const EVERYWHERE = '_';

/** Names of the record in a realm, as the key server writes them. */
function namesIn(realm: string, { userpass, jwt, client_certificate: certificate }: Names): string[] {
  return [
    ...(userpass === null ? [] : [userName(realm, userpass)]),
    ...(jwt === null ? [] : [`${realmScope(realm)}jwt:${jwt}`]),
    ...(certificate === null ? [] : [`${realmScope(realm)}cc:${certificate}`]),
  ];
}

type Names = Pick<AdminRecord, 'userpass' | 'jwt' | 'client_certificate'>;

/** The whole record is written: whoever has its names now, or first, has its rights. */
export async function bindAdmin(tx: Transaction, record: AdminRecord): Promise<void> {
  await tx.run('DELETE FROM admin_account WHERE admin = $1', [record.id]);
  for (const realm of new Set([...record.realms, EVERYWHERE])) await bindRealm(tx, record, realm);
}

/** A realm comes to the record; who has had its names in other realms is not asked again. */
export async function bindRealm(tx: Transaction, record: AdminRecord, realm: string): Promise<void> {
  for (const name of namesIn(realm, record)) {
    const account = await accountToBe(tx, name);
    if (account !== undefined) await bind(tx, record.id, account, realm);
  }
}

/** A realm leaves the record. */
export async function releaseRealm(tx: Transaction, admin: string, realm: string): Promise<void> {
  if (realm !== EVERYWHERE) await tx.run('DELETE FROM admin_account WHERE admin = $1 AND realm = $2', [admin, realm]);
}

async function bind(tx: Transaction, admin: string, account: string, realm: string): Promise<void> {
  await tx.run('INSERT INTO admin_account (admin, account, realm) VALUES ($1, $2, $3) ON CONFLICT (admin, account) DO NOTHING', [admin, account, realm]);
}

/** Whether the credential of the name is one that the record stands for. */
export async function isBound(from: Reader, admin: string, realm: string, username: string): Promise<boolean> {
  const sql = `SELECT account FROM admin_account WHERE admin = $2 AND account = (${HELD_ID})`;
  return (await from.get(sql, [userName(realm, username), admin])) !== undefined;
}
