// The tables of the key server. Content is sealed; what is searched for is not: attributes by their values, or the SHA-256 of a long one.
import type { Migration } from '../../kernel/store/migrate.ts';

export const KEYS_MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    about: 'objects of the key server, their attributes, and who may use them',
    // due_at: when a date of the object changes its state, or it must rotate; seq tells which of two is newer.
    sql: `
      CREATE TABLE kms_object (id TEXT PRIMARY KEY, object_type BIGINT NOT NULL, state BIGINT NOT NULL, owner TEXT NOT NULL, created_at BIGINT NOT NULL,
        changed_at BIGINT NOT NULL, due_at BIGINT, attributes BYTEA NOT NULL, content BYTEA, archived BIGINT NOT NULL DEFAULT 0, seq BIGINT NOT NULL);
      CREATE INDEX kms_object_owner ON kms_object (owner, seq DESC);
      CREATE INDEX kms_object_state ON kms_object (state);
      CREATE INDEX kms_object_due ON kms_object (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX kms_object_newest ON kms_object (seq DESC);
      CREATE INDEX kms_object_created ON kms_object (created_at DESC);
      CREATE TABLE kms_attribute (object_id TEXT NOT NULL, tag BIGINT NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (object_id, tag, value));
      CREATE INDEX kms_attribute_value ON kms_attribute (tag, value);
      CREATE TABLE kms_grant (object_id TEXT NOT NULL, user_id TEXT NOT NULL, operations TEXT NOT NULL, PRIMARY KEY (object_id, user_id));
      CREATE INDEX kms_grant_user ON kms_grant (user_id);
    `,
  },
];
