// The index for Locate: cheap to write, with few terms and on SQLite no table beside its primary key, and quick to read among millions of objects.
import type { Migration } from '../../kernel/store/migrate.ts';
import { TAG } from '../../kmip/ttlv/tag.ts';

/** Attributes with a few values, which nearly all objects share. A search reads them from the objects. */
const NO_LONGER_INDEXED = [TAG.Fresh, TAG.KeyFormatType, TAG.Sensitive, TAG.AlwaysSensitive, TAG.Extractable, TAG.NeverExtractable].join(', ');

export const INDEX_MIGRATION: Migration = {
  id: 7,
  about: 'the index of attributes holds no terms that nearly all objects share, and on SQLite its rows are stored once, in the primary key',
  sql: {
    sqlite: `CREATE TABLE kms_attribute_new (object_id TEXT NOT NULL, owner TEXT NOT NULL, tag BIGINT NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (object_id, tag, value)) WITHOUT ROWID;
      INSERT INTO kms_attribute_new (object_id, owner, tag, value)
        SELECT object_id, owner, tag, value FROM kms_attribute WHERE tag NOT IN (${NO_LONGER_INDEXED}) ORDER BY object_id, tag, value;
      DROP TABLE kms_attribute;
      ALTER TABLE kms_attribute_new RENAME TO kms_attribute;
      CREATE INDEX kms_attribute_value ON kms_attribute (owner, tag, value);`,
    postgres: `DELETE FROM kms_attribute WHERE tag IN (${NO_LONGER_INDEXED});`,
  },
};

export const SEARCH_MIGRATION: Migration = {
  id: 8,
  about:
    'searches among millions of objects: an index with all that a search asks of an object, and one that leads from a term to its objects, whoever owns them',
  sql: `
    CREATE INDEX kms_object_search ON kms_object (owner, seq DESC, object_type, state, archived, initial_date, activation_date, deactivation_date);
    DROP INDEX kms_object_owner;
    CREATE INDEX kms_attribute_term ON kms_attribute (tag, value, owner, object_id);
    DROP INDEX kms_attribute_value;
  `,
};

export const SEARCH_ID_MIGRATION: Migration = {
  id: 10,
  about: 'the index with all that a search asks of an object has its identifier too: what a search walks through is read from the index alone',
  sql: `
    CREATE INDEX kms_object_place ON kms_object (owner, seq DESC, object_type, state, archived, initial_date, activation_date, deactivation_date, id);
    DROP INDEX kms_object_search;
  `,
};
