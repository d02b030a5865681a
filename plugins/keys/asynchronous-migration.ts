// The migration that makes the table of requests that are answered later.
import type { Migration } from '../../kernel/store/migrate.ts';

/** Times are in milliseconds. `job` and `result` are sealed; `job` lies in the row of the first item of a batch until the batch has ended. */
export const ASYNCHRONOUS_MIGRATION: Migration = {
  id: 14,
  about: 'asynchronous requests: what is to be done, and what came of it',
  sql: `
    CREATE TABLE kms_asynchronous (id TEXT NOT NULL PRIMARY KEY, owner TEXT NOT NULL, batch TEXT NOT NULL, position BIGINT NOT NULL, operation BIGINT NOT NULL,
      stage BIGINT NOT NULL, submitted_at BIGINT NOT NULL, ended_at BIGINT, told_at BIGINT, runner TEXT, leased_until BIGINT, bytes BIGINT NOT NULL,
      processed BIGINT NOT NULL DEFAULT 0,      job_generation BIGINT, generation BIGINT, job BYTEA, result BYTEA);
    CREATE INDEX kms_asynchronous_owner ON kms_asynchronous (owner, submitted_at);
    CREATE INDEX kms_asynchronous_batch ON kms_asynchronous (batch, position);
    CREATE INDEX kms_asynchronous_job ON kms_asynchronous (submitted_at) WHERE job IS NOT NULL;
    CREATE INDEX kms_asynchronous_end ON kms_asynchronous (ended_at) WHERE ended_at IS NOT NULL;
    CREATE INDEX kms_asynchronous_told ON kms_asynchronous (told_at) WHERE told_at IS NOT NULL;
  `,
};
