// What a login has to know of the realm, the credential and its locks.

import { realmScope } from '../../kernel/store/account-name.ts';
import { liveAccount } from '../../kernel/store/accounts.ts';
import type { Store } from '../../kernel/store/store.ts';
import { opensTo } from './administered.ts';
import type { CredentialView, LoginView } from './api.ts';
import { lockedFactors } from './lockout.ts';
import { findRealm } from './realms.ts';

interface Row {
  readonly password_hash: string;
  readonly change_password: number;
  readonly password_set_at: number;
  readonly roles: string;
  readonly extra_claims: string | null;
  readonly revision: number;
  readonly totp: string | null;
}

/** As long as a hash of the server's cost. */
const NO_HASH = 'x'.repeat(97);
/** One row of one shape, whether there is such a credential or not: a login must not be answered sooner because there is nothing to read. */
const CREDENTIAL = `SELECT COALESCE(password_hash, '${NO_HASH}') AS password_hash, COALESCE(change_password, 0) AS change_password,
  COALESCE(password_set_at, 0) AS password_set_at, COALESCE(roles, '[]') AS roles, extra_claims, COALESCE(revision, 0) AS revision, totp.username AS totp
  FROM (SELECT 1 AS one) AS always LEFT JOIN userpass ON userpass.realm = $1 AND userpass.username = $2
  LEFT JOIN totp ON totp.realm = userpass.realm AND totp.username = userpass.username`;

export async function loginView(store: Store, realm: string, username: string, source: string, now: number): Promise<LoginView> {
  const row = (await store.get<Row>(CREDENTIAL, [realm, username])) as Row;
  const view = viewOf(row);
  const exists = row.revision > 0;
  return {
    realm: await findRealm(store, realm),
    realmAccount: await liveAccount(store, realmScope(realm)),
    credential: exists ? view : null,
    nobody: exists ? null : view,
    locked: await lockedFactors(store, realm, username, source, now),
    opens: await opensTo(store, { realm, username, scheme: 'up' }),
  };
}

function viewOf(row: Row): CredentialView {
  return {
    passwordHash: row.password_hash,
    changePassword: row.change_password === 1,
    passwordSetAt: row.password_set_at,
    roles: JSON.parse(row.roles) as string[],
    extraClaims: row.extra_claims === null ? null : (JSON.parse(row.extra_claims) as Record<string, unknown>),
    revision: row.revision,
    totp: row.totp !== null,
  };
}
