// The tables of documentary bases.
import type { Migration } from '../../kernel/store/migrate.ts';

export const AI_MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    about: 'documentary bases, their references and the passages of these; the revision of a base changes with every change of its references',
    sql: `
      CREATE TABLE ai_base (name TEXT PRIMARY KEY, revision BIGINT NOT NULL, created_at BIGINT NOT NULL);
      CREATE TABLE ai_reference (id TEXT PRIMARY KEY, base TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, sha256 TEXT NOT NULL,
        added_at BIGINT NOT NULL, UNIQUE (base, name));
      CREATE TABLE ai_passage (reference_id TEXT NOT NULL, ordinal BIGINT NOT NULL, chapter TEXT NOT NULL, page BIGINT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (reference_id, ordinal));
    `,
  },
  {
    id: 2,
    about: 'vectors of passages, several passages in a row; a reference names the embedder that has made all of its vectors',
    sql: `
      ALTER TABLE ai_reference ADD COLUMN embedder TEXT NOT NULL DEFAULT '';
      CREATE TABLE ai_vectors (reference_id TEXT NOT NULL, ordinal BIGINT NOT NULL, embedder TEXT NOT NULL, windows BYTEA NOT NULL, vectors BYTEA NOT NULL,
        PRIMARY KEY (reference_id, ordinal));
    `,
  },
  {
    id: 3,
    about: 'what references say is sealed, each with a key of its own; the library seals the rows of before, and empties the columns that they were in',
    sql: `
      ALTER TABLE ai_reference ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE ai_reference ADD COLUMN sealed_key BYTEA;
      ALTER TABLE ai_reference ADD COLUMN sealed BYTEA;
      ALTER TABLE ai_passage ADD COLUMN sealed BYTEA;
      ALTER TABLE ai_vectors ADD COLUMN is_sealed BIGINT NOT NULL DEFAULT 0;
    `,
  },
  {
    id: 4,
    about: 'which bases were created on request; the library notes those of the configuration, which are for nobody when they have left it',
    sql: 'ALTER TABLE ai_base ADD COLUMN on_request BIGINT NOT NULL DEFAULT 1',
  },
];
