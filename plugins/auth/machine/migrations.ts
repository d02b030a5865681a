// The tables of machine authentication. They hold only digests of secret ids and tokens; 0 as a time or a number means no limit.
import type { Migration } from '../../../kernel/store/migrate.ts';

export const MACHINE_MIGRATIONS: readonly Migration[] = [
  {
    id: 2,
    about: 'machine roles, secret ids, app tokens',
    sql: `
      CREATE TABLE approle (name TEXT PRIMARY KEY, role_id TEXT NOT NULL UNIQUE, token_ttl_seconds BIGINT NOT NULL, token_max_ttl_seconds BIGINT NOT NULL,
        token_policies TEXT NOT NULL, secret_id_ttl_seconds BIGINT NOT NULL, bind_secret_id BIGINT NOT NULL);
      CREATE TABLE secret_id (accessor TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, role TEXT NOT NULL REFERENCES approle (name) ON DELETE CASCADE,
        created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, num_uses BIGINT NOT NULL, uses BIGINT NOT NULL, exhausted_at BIGINT NOT NULL);
      CREATE INDEX secret_id_role ON secret_id (role);
      CREATE TABLE cluster_role (name TEXT PRIMARY KEY, revision TEXT NOT NULL, settings TEXT NOT NULL);
      CREATE TABLE app_token (digest TEXT PRIMARY KEY, accessor TEXT NOT NULL, kind TEXT NOT NULL, role TEXT NOT NULL, entity TEXT NOT NULL,
        policies TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, lease_seconds BIGINT NOT NULL, max_expires_at BIGINT NOT NULL);
      CREATE INDEX app_token_role ON app_token (kind, role);
      CREATE INDEX app_token_expiry ON app_token (expires_at);
    `,
  },
];

export const BOUNDS_MIGRATION: Migration = {
  id: 9,
  about: 'networks that roles, secret ids and tokens are bound to, and numbers of uses',
  sql: `
    ALTER TABLE approle ADD COLUMN secret_id_bound_cidrs TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE approle ADD COLUMN token_bound_cidrs TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE approle ADD COLUMN token_num_uses BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE approle ADD COLUMN secret_id_num_uses BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE secret_id ADD COLUMN cidr_list TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE secret_id ADD COLUMN token_cidr_list TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE app_token ADD COLUMN bounds TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE app_token ADD COLUMN uses_left BIGINT NOT NULL DEFAULT 0;
  `,
};

export const TOKEN_LIST_MIGRATION: Migration = {
  id: 10,
  about: 'the tokens of a role in their order, and one token by its accessor, among hundreds of thousands',
  sql: `
    CREATE INDEX app_token_made ON app_token (kind, role, created_at, accessor);
    DROP INDEX app_token_role;
    CREATE INDEX app_token_accessor ON app_token (accessor);
  `,
};

export const RENEWABLE_MIGRATION: Migration = {
  id: 4,
  about: 'whether tokens of a role can be renewed',
  sql: `
    ALTER TABLE approle ADD COLUMN token_renewable BIGINT NOT NULL DEFAULT 1;
    ALTER TABLE app_token ADD COLUMN renewable BIGINT NOT NULL DEFAULT 1;
  `,
};
