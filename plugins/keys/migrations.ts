// The tables of the key server. Content is sealed; what is searched for is not.
import type { Migration } from '../../kernel/store/migrate.ts';

/** `seq` tells which of two objects is newer; `due_at` when a date changes an object's state, or it must rotate. Times are milliseconds. */
const tables = (seq: string) => `
  CREATE TABLE kms_object (seq ${seq}, id TEXT NOT NULL UNIQUE, object_type BIGINT NOT NULL, state BIGINT NOT NULL, owner TEXT NOT NULL,
    archived BIGINT NOT NULL, attributes BYTEA NOT NULL, content BYTEA, due_at BIGINT, created_at BIGINT NOT NULL, changed_at BIGINT NOT NULL);
  CREATE INDEX kms_object_owner ON kms_object (owner, seq DESC);
  CREATE INDEX kms_object_due ON kms_object (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE kms_attribute (object_id TEXT NOT NULL, tag BIGINT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (object_id, tag, value));
  CREATE INDEX kms_attribute_value ON kms_attribute (tag, value);
  CREATE TABLE kms_grant (object_id TEXT NOT NULL, user_id TEXT NOT NULL, operations TEXT NOT NULL, PRIMARY KEY (object_id, user_id));
  CREATE INDEX kms_grant_user ON kms_grant (user_id);
`;

export const KEYS_MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    about: 'objects of the key server, what is searched for of them, and who may use them',
    sql: { sqlite: tables('INTEGER PRIMARY KEY AUTOINCREMENT'), postgres: tables('BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY') },
  },
];
