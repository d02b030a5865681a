// Binds admin records to accounts: those that had the record's names when an entitled administrator wrote it, or were the first to get them afterwards.
import { namingOf, realmScope, userName } from '../../kernel/store/account-name.ts';
import { accountToBe, HELD_ID } from '../../kernel/store/accounts.ts';
import type { Reader, Transaction } from '../../kernel/store/store.ts';
import type { AdminRecord } from './api.ts';

/** A session in this realm has the rights of all realms of the record. */
const EVERYWHERE = '_';

/** The account names of the record in a realm. */
function namesIn(realm: string, { userpass, jwt, client_certificate: certificate }: Names): string[] {
  return [
    ...(userpass === null || namingOf(userName(realm, userpass))?.kind !== 'user' ? [] : [userName(realm, userpass)]),
    ...(jwt === null ? [] : [`${realmScope(realm)}jwt:${jwt}`]),
    ...(certificate === null ? [] : [`${realmScope(realm)}cc:${certificate}`]),
  ];
}

type Names = Pick<AdminRecord, 'userpass' | 'jwt' | 'client_certificate'>;

/** Binds a record that was written as a whole: the accounts that have its names now, or get them first, have its rights. */
export async function bindAdmin(tx: Transaction, record: AdminRecord): Promise<void> {
  await tx.run('DELETE FROM admin_account WHERE admin = $1', [record.id]);
  for (const realm of new Set([...record.realms, EVERYWHERE])) await bindRealm(tx, record, realm);
}

/** Binds a realm that was added to the record; the bindings in other realms stay as they are. */
export async function bindRealm(tx: Transaction, record: AdminRecord, realm: string): Promise<void> {
  for (const name of namesIn(realm, record)) {
    const account = await accountToBe(tx, name);
    if (account !== undefined) await bind(tx, record.id, account, realm);
  }
}

/** Removes the bindings of a realm that was removed from the record. */
export async function releaseRealm(tx: Transaction, admin: string, realm: string): Promise<void> {
  if (realm !== EVERYWHERE) await tx.run('DELETE FROM admin_account WHERE admin = $1 AND realm = $2', [admin, realm]);
}

async function bind(tx: Transaction, admin: string, account: string, realm: string): Promise<void> {
  await tx.run('INSERT INTO admin_account (admin, account, realm) VALUES ($1, $2, $3) ON CONFLICT (admin, account) DO NOTHING', [admin, account, realm]);
}

/** Whether the record is bound to the account of this credential. */
export async function isBound(from: Reader, admin: string, realm: string, username: string): Promise<boolean> {
  const sql = `SELECT account FROM admin_account WHERE admin = $2 AND account = (${HELD_ID})`;
  return (await from.get(sql, [userName(realm, username), admin])) !== undefined;
}
