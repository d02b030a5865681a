// Looks up what a login needs to know of the realm, the credential and its locks.
import { realmScope } from '../../kernel/store/account-name.ts';
import { liveAccount } from '../../kernel/store/accounts.ts';
import type { Store } from '../../kernel/store/store.ts';
import { opensTo } from './administered.ts';
import type { CredentialView, LoginView } from './api.ts';
import { lockedFactors } from './lockout.ts';
import { findRealm } from './realms.ts';

interface Row {
  readonly realm: string;
  readonly username: string;
  readonly password_hash: string;
  readonly change_password: number;
  readonly password_set_at: number;
  readonly revision: number;
  readonly totp: number;
}

/** As long as a password hash of this server. */
const NO_HASH = 'x'.repeat(97);
/**
 * The nearest existing name: the next one in order, or else the last. A lookup of an unknown name thus also finds a row in the index. The order over
 * both makes the database read both, whether or not there is a next one.
 */
const NEAREST = `SELECT realm, username FROM (
    SELECT realm, username FROM (SELECT realm, username FROM userpass WHERE (realm, username) >= ($1, $2) ORDER BY realm, username LIMIT 1) AS next
    UNION ALL
    SELECT realm, username FROM (SELECT realm, username FROM userpass WHERE (realm, username) <= ($1, $2) ORDER BY realm DESC, username DESC LIMIT 1) AS last
  ) AS nearest ORDER BY realm DESC, username DESC LIMIT 1`;
/**
 * Reads a row of the same table in the same steps whether or not the credential exists, because reading a page of the database takes longer than
 * everything else. Leaves out roles and claims, whose length differs; they are read when the login completes.
 */
const CREDENTIAL = `SELECT realm, username, password_hash, change_password, password_set_at, revision,
  (SELECT COUNT(*) FROM totp WHERE totp.realm = $1 AND totp.username = $2) AS totp FROM userpass WHERE (realm, username) = (${NEAREST})`;

export async function loginView(store: Store, realm: string, username: string, source: string, now: number): Promise<LoginView> {
  const row = await store.get<Row>(CREDENTIAL, [realm, username]);
  const exists = row?.realm === realm && row.username === username;
  const view = exists ? viewOf(row) : NOBODY;
  return {
    realm: await findRealm(store, realm),
    realmAccount: await liveAccount(store, realmScope(realm)),
    credential: exists ? view : null,
    nobody: exists ? null : view,
    locked: await lockedFactors(store, { realm, username, source, exists }, now),
    opens: await opensTo(store, { realm, username, scheme: 'up' }),
  };
}

function viewOf(row: Row): CredentialView {
  return {
    passwordHash: row.password_hash,
    changePassword: row.change_password === 1,
    passwordSetAt: row.password_set_at,
    revision: row.revision,
    totp: row.totp > 0,
  };
}

const NOBODY: CredentialView = { passwordHash: NO_HASH, changePassword: false, passwordSetAt: 1_700_000_000_000, revision: 1, totp: false };
