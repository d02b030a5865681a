// What the directory reads for logins and for rights.
import type { Reader } from '../../kernel/store/store.ts';
import type { CredentialView, LoginView, RealmView, SessionOwner } from './api.ts';

interface RealmRow {
  readonly id: string;
  readonly auth_params: string;
  readonly session_max_age_seconds: number;
  readonly session_max_stale_age_seconds: number;
}

interface CredentialRow {
  readonly password_hash: string;
  readonly change_password: number;
  readonly roles: string;
  readonly extra_claims: string | null;
  readonly revision: number;
}

/** Members of the realm's `auth_params` that a password login looks at; absent means the default. */
interface AuthParams {
  readonly username_password_params?: { readonly enabled?: boolean } | null;
}

/** Columns of an admin record that a scheme is matched with; a constant, never a caller's text. */
const COLUMN: Readonly<Record<string, string>> = { up: 'userpass', jwt: 'jwt', cc: 'client_certificate' };

export async function findLogin(store: Reader, realm: string, username: string): Promise<LoginView> {
  const realmRow = await store.get<RealmRow>('SELECT id, auth_params, session_max_age_seconds, session_max_stale_age_seconds FROM realm WHERE id = $1', [
    realm,
  ]);
  const sql = 'SELECT password_hash, change_password, roles, extra_claims, revision FROM userpass WHERE realm = $1 AND username = $2';
  const row = await store.get<CredentialRow>(sql, [realm, username]);
  return { realm: realmRow ? realmView(realmRow) : null, credential: row ? credentialView(row) : null };
}

function realmView(row: RealmRow): RealmView {
  const { username_password_params: passwords } = JSON.parse(row.auth_params) as AuthParams;
  return {
    id: row.id,
    passwordsEnabled: passwords?.enabled !== false,
    sessionMaxAgeSeconds: row.session_max_age_seconds,
    sessionMaxStaleAgeSeconds: row.session_max_stale_age_seconds,
  };
}

function credentialView(row: CredentialRow): CredentialView {
  return {
    passwordHash: row.password_hash,
    changePassword: row.change_password === 1,
    roles: JSON.parse(row.roles) as string[],
    extraClaims: row.extra_claims === null ? null : (JSON.parse(row.extra_claims) as Record<string, unknown>),
    revision: row.revision,
  };
}

/**
 * Admin records are found by the session's scheme only. A session in realm `_` has all rights of its records; a session in another realm
 * has the rights for that realm only, whatever else the records list.
 */
export async function administered(store: Reader, { realm, username, scheme }: SessionOwner): Promise<readonly string[]> {
  const column = COLUMN[scheme];
  if (column === undefined) return [];
  const sql = `SELECT DISTINCT admin_realm.realm AS realm FROM admin JOIN admin_realm ON admin_realm.admin = admin.id WHERE admin.${column} = $1`;
  const realms = (await store.all<{ realm: string }>(sql, [username])).map((row) => row.realm);
  return realm === '_' ? realms : realms.filter((own) => own === realm);
}
