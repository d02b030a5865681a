// What a login has to know of the realm, the credential and its locks.
import type { Store } from '../../kernel/store/store.ts';
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

const CREDENTIAL = `SELECT password_hash, change_password, password_set_at, roles, extra_claims, revision, totp.username AS totp FROM userpass
  LEFT JOIN totp ON totp.realm = userpass.realm AND totp.username = userpass.username WHERE userpass.realm = $1 AND userpass.username = $2`;

/** The row of a name without a credential: a login must not be answered sooner because there is nothing to read. */
const NOBODY: Row = {
  password_hash: `$argon2id$v=19$m=65536,t=3,p=4$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  change_password: 0,
  password_set_at: 0,
  roles: '[]',
  extra_claims: null,
  revision: 1,
  totp: null,
};

export async function loginView(store: Store, realm: string, username: string, source: string, now: number): Promise<LoginView> {
  const row = await store.get<Row>(CREDENTIAL, [realm, username]);
  const view = viewOf(row ?? NOBODY);
  return {
    realm: await findRealm(store, realm),
    credential: row ? view : null,
    nobody: row ? null : view,
    locked: await lockedFactors(store, realm, username, source, now),
    isAdminCertificate: (await store.get('SELECT id FROM admin WHERE client_certificate = $1', [username])) !== undefined,
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
