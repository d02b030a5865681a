// The rule for who administers which realms, by the admin records. Every actor checks it again in the transaction of each change that needs a right.
import { Fault } from '../../kernel/fault.ts';
import { userName } from '../../kernel/store/account-name.ts';
import { LIVE_ID } from '../../kernel/store/accounts.ts';
import type { Reader } from '../../kernel/store/store.ts';

/** The owner of a session. */
interface Administering {
  readonly realm: string;
  /** The account, which belongs to one scheme. A name would not do, because it may belong to somebody else by now. */
  readonly account: string;
}

/** A user who is about to sign in. Only records that name the user for this scheme count. */
interface Arriving {
  readonly realm: string;
  readonly username: string;
  /** Scheme code: up, jwt, cc. */
  readonly scheme: string;
}

export const SUPER_REALM = '_';

/** A session in realm `_` has all rights of its records. A session in another realm has rights for that realm only, whatever else the records list. */
export async function administeredRealms(reader: Reader, { realm, account }: Administering): Promise<readonly string[]> {
  const sql = `SELECT DISTINCT admin_realm.realm AS realm FROM admin_account JOIN admin_realm ON admin_realm.admin = admin_account.admin
    WHERE admin_account.account = $1`;
  const realms = (await reader.all<{ realm: string }>(sql, [account])).map((row) => row.realm);
  return realm === SUPER_REALM ? realms : realms.filter((own) => own === realm);
}

/** Whether the caller administers this realm or all realms. Reads one row, however many realms the caller has. */
export async function administers(reader: Reader, { realm: own, account }: Administering, realm: string): Promise<boolean> {
  if (own !== SUPER_REALM && own !== realm) return false;
  const sql = `SELECT admin_realm.realm AS realm FROM admin_account JOIN admin_realm ON admin_realm.admin = admin_account.admin
    WHERE admin_account.account = $1 AND admin_realm.realm IN ($2, $3) LIMIT 1`;
  return (await reader.get(sql, [account, own, realm])) !== undefined;
}

/** @throws Fault FORBIDDEN for anybody but a super admin, which undoes the transaction */
export function requireSuperAdmin(reader: Reader, by: Administering): Promise<void> {
  return requireAdministration(reader, by, []);
}

/**
 * @param realms the caller must administer every one of them; if the list is empty, the caller must be a super admin
 * @throws Fault FORBIDDEN, which undoes the transaction
 */
export async function requireAdministration(reader: Reader, by: Administering, realms: readonly string[]): Promise<void> {
  const [first = SUPER_REALM, ...others] = new Set(realms);
  if (!(await administers(reader, by, first))) throw new Fault('FORBIDDEN');
  if (others.length === 0 || (await administers(reader, by, SUPER_REALM))) return;
  for (const realm of others) if (!(await administers(reader, by, realm))) throw new Fault('FORBIDDEN');
}

/** Realm `_` admits only users whom an admin record lists for `_`, by the scheme they sign in with. Other realms admit everybody. */
export async function opensTo(reader: Reader, { realm, username, scheme }: Arriving): Promise<boolean> {
  if (realm !== SUPER_REALM) return true;
  const name = userName(realm, scheme === 'up' ? username : `${scheme}:${username}`);
  // Returns one row of the same shape whether or not such a record exists. A name without an account of its own is its first holder's account id.
  const sql = `SELECT COUNT(*) AS n FROM admin_account JOIN admin_realm ON admin_realm.admin = admin_account.admin
    WHERE admin_account.account = COALESCE((${LIVE_ID}), $1) AND admin_realm.realm = '_'`;
  return ((await reader.get<{ n: number }>(sql, [name]))?.n ?? 0) > 0;
}
