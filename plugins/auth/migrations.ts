// The tables of the authentication service.
import type { Migration } from '../../kernel/store/migrate.ts';
import { ACCOUNT_MIGRATION } from './account-migration.ts';
import { BOUNDS_MIGRATION, MACHINE_MIGRATIONS, RENEWABLE_MIGRATION, TOKEN_LIST_MIGRATION } from './machine/migrations.ts';
import { USAGE_MIGRATION } from './usage-migration.ts';

export const AUTH_MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    about: 'realms, credentials, second factors, locks, admins, sessions, signing keys',
    sql: `
      CREATE TABLE realm (id TEXT PRIMARY KEY, auth_params TEXT NOT NULL, session_max_age_seconds BIGINT NOT NULL, session_max_stale_age_seconds BIGINT NOT NULL,
        certificate_max_age_seconds BIGINT NOT NULL, password_max_age_seconds BIGINT NOT NULL);
      CREATE TABLE userpass (realm TEXT NOT NULL REFERENCES realm (id) ON DELETE CASCADE, username TEXT NOT NULL, password_hash TEXT NOT NULL,
        change_password BIGINT NOT NULL, roles TEXT NOT NULL, extra_claims TEXT, password_set_at BIGINT NOT NULL, revision BIGINT NOT NULL,
        PRIMARY KEY (realm, username));
      CREATE TABLE admin (id TEXT PRIMARY KEY, userpass TEXT, jwt TEXT, fido2 TEXT, digital_credentials TEXT, client_certificate TEXT);
      CREATE TABLE admin_realm (admin TEXT NOT NULL REFERENCES admin (id) ON DELETE CASCADE, realm TEXT NOT NULL REFERENCES realm (id) ON DELETE CASCADE,
        PRIMARY KEY (admin, realm));
      CREATE INDEX admin_userpass ON admin (userpass);
      CREATE TABLE session (id TEXT PRIMARY KEY, cookie_hash BYTEA NOT NULL, realm TEXT NOT NULL, username TEXT NOT NULL, scheme TEXT NOT NULL,
        created_at BIGINT NOT NULL, seen_at BIGINT NOT NULL, max_age_seconds BIGINT NOT NULL, max_stale_age_seconds BIGINT NOT NULL, claims TEXT NOT NULL);
      CREATE INDEX session_owner ON session (realm, username);
      CREATE TABLE signing_key (kid TEXT PRIMARY KEY, purpose TEXT NOT NULL, public_jwk TEXT NOT NULL, wrapped BYTEA NOT NULL, created_at BIGINT NOT NULL,
        signed_until BIGINT NOT NULL, retired_at BIGINT);
      CREATE TABLE totp (realm TEXT NOT NULL, username TEXT NOT NULL, wrapped BYTEA NOT NULL, algorithm TEXT NOT NULL, step BIGINT NOT NULL,
        last_step BIGINT NOT NULL, PRIMARY KEY (realm, username), FOREIGN KEY (realm, username) REFERENCES userpass (realm, username) ON DELETE CASCADE);
      CREATE TABLE lockout (realm TEXT NOT NULL, username TEXT NOT NULL, factor TEXT NOT NULL, source TEXT NOT NULL, failures BIGINT NOT NULL,
        window_started_at BIGINT NOT NULL, locked_until BIGINT NOT NULL, PRIMARY KEY (realm, username, factor, source),
        FOREIGN KEY (realm, username) REFERENCES userpass (realm, username) ON DELETE CASCADE);
      CREATE TABLE lockout_nobody (realm TEXT NOT NULL, username TEXT NOT NULL, factor TEXT NOT NULL, source TEXT NOT NULL, failures BIGINT NOT NULL,
        window_started_at BIGINT NOT NULL, locked_until BIGINT NOT NULL, PRIMARY KEY (realm, username, factor, source));
      CREATE TABLE login_source (realm TEXT NOT NULL, username TEXT NOT NULL, source TEXT NOT NULL, completed_at BIGINT NOT NULL,
        PRIMARY KEY (realm, username, source), FOREIGN KEY (realm, username) REFERENCES userpass (realm, username) ON DELETE CASCADE);
      CREATE INDEX admin_jwt ON admin (jwt);
      CREATE INDEX admin_client_certificate ON admin (client_certificate);
      CREATE INDEX audit_realm ON audit (realm, time);
    `,
  },
  ...MACHINE_MIGRATIONS,
  ACCOUNT_MIGRATION,
  RENEWABLE_MIGRATION,
  USAGE_MIGRATION,
  { id: 6, about: 'MACs of signing keys; those that are there are given theirs by the next start', sql: 'ALTER TABLE signing_key ADD COLUMN mac BYTEA;' },
  {
    id: 7,
    about: 'certificates and tokens by which somebody has signed in to realm _: those whose sessions are there, and from now on every one',
    sql: `
      CREATE TABLE proven_way (account TEXT PRIMARY KEY, scheme TEXT NOT NULL, proven_at BIGINT NOT NULL);
      INSERT INTO proven_way (account, scheme, proven_at) SELECT account, MIN(scheme), MIN(created_at) FROM session
        WHERE realm = '_' AND scheme <> 'up' AND account <> '' GROUP BY account;
    `,
  },
  {
    id: 8,
    about: 'what has expired among millions of sessions and secret ids, and the secret ids of a role in their order',
    sql: `
      CREATE INDEX session_end ON session ((created_at + max_age_seconds * 1000));
      CREATE INDEX session_stale ON session ((seen_at + max_stale_age_seconds * 1000));
      CREATE INDEX secret_id_made ON secret_id (role, created_at, accessor);
      DROP INDEX secret_id_role;
      CREATE INDEX secret_id_expiry ON secret_id (expires_at) WHERE expires_at > 0;
      CREATE INDEX secret_id_exhausted ON secret_id (exhausted_at) WHERE exhausted_at > 0;
    `,
  },
  BOUNDS_MIGRATION,
  TOKEN_LIST_MIGRATION,
  {
    id: 11,
    about: 'names by their beginning, also where the database has the order of a language',
    sql: {
      sqlite: '',
      postgres: `
        CREATE INDEX realm_name ON realm (id COLLATE "C");
        CREATE INDEX admin_name ON admin (id COLLATE "C");
        CREATE INDEX userpass_name ON userpass (realm, username COLLATE "C");
      `,
    },
  },
];
