// Room for what is counted: on PostgreSQL each writing connection takes some in advance, so that those who create for one owner do not wait for one row.
import type { Migration } from '../../kernel/store/migrate.ts';
import { countingFunctionsSql } from '../../kernel/store/usage.ts';
import { COUNTED } from './usage-migration.ts';

/** Connections with the same rest of their process's number share a row. */
const WRITERS = 16;
/** A connection takes this part of what is there: who has little takes none. All connections together hold a quarter, more where they free or make large objects. */
const PART = 64;
const [MOST, MOST_BYTES] = [1_024, 2 ** 24] as const;
/** Less is not worth a row. */
const [LEAST, LEAST_BYTES] = [4, 4_096] as const;

/**
 * `kms_usage.amount` is what is there and the room that is taken: an upper bound, and exact together with the rows of `kms_usage_room`. Both change in the
 * transaction of what is counted, which is serializable. Each statement finds its row by its key alone and reads no other, so that it conflicts with none.
 * A row that was not there is inserted with -1, which stays in no commit.
 */
const ADD = `CREATE FUNCTION kms_usage_add(of_kind TEXT, of_scope TEXT, more BIGINT) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE own BIGINT := pg_backend_pid() % ${WRITERS};
    most BIGINT := CASE WHEN of_kind LIKE '%bytes' THEN ${MOST_BYTES} ELSE ${MOST} END;
    taken BIGINT := COALESCE((SELECT LEAST(most, amount / ${PART}) FROM kms_usage WHERE kind = of_kind AND scope = of_scope), 0);
    rest BIGINT;
  BEGIN
    IF taken < (CASE WHEN of_kind LIKE '%bytes' THEN ${LEAST_BYTES} ELSE ${LEAST} END) THEN taken := 0; END IF;
    IF taken > 0 THEN
      INSERT INTO kms_usage_room AS held (kind, scope, writer, room) VALUES (of_kind, of_scope, own, -1)
        ON CONFLICT (kind, scope, writer) DO UPDATE SET room = held.room - more
          WHERE held.room >= more AND (more > 0 OR held.room - more <= 2 * taken) RETURNING room INTO rest;
      IF rest >= 0 THEN RETURN; END IF;
    END IF;
    IF more < 0 THEN
      PERFORM kms_usage_less(of_kind, of_scope, -more);
      RETURN;
    END IF;
    IF taken > 0 THEN
      INSERT INTO kms_usage_room AS held (kind, scope, writer, room) VALUES (of_kind, of_scope, own, taken)
        ON CONFLICT (kind, scope, writer) DO UPDATE SET room = GREATEST(held.room, 0) + taken;
    END IF;
    INSERT INTO kms_usage AS held (kind, scope, amount) VALUES (of_kind, of_scope, more + taken)
      ON CONFLICT (kind, scope) DO UPDATE SET amount = held.amount + more + taken;
  END $$;`;

/** All room is given back, so that of a scope whose rows are gone nothing stays. Its few rows are found by the index, or this would conflict with everybody. */
const LESS = `CREATE FUNCTION kms_usage_less(of_kind TEXT, of_scope TEXT, less BIGINT) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
  DECLARE given BIGINT;
  BEGIN
    WITH gone AS (DELETE FROM kms_usage_room WHERE kind = of_kind AND scope = of_scope RETURNING room)
      SELECT COALESCE(SUM(GREATEST(room, 0)), 0) INTO given FROM gone;
    UPDATE kms_usage SET amount = amount - less - given WHERE kind = of_kind AND scope = of_scope;
    DELETE FROM kms_usage WHERE kind = of_kind AND scope = of_scope AND amount <= 0;
  END $$;`;

const TABLE =
  'CREATE TABLE kms_usage_room (kind TEXT NOT NULL, scope TEXT NOT NULL, writer BIGINT NOT NULL, room BIGINT NOT NULL, PRIMARY KEY (kind, scope, writer))';

export const ROOM_MIGRATION: Migration = {
  id: 9,
  about: 'room that connections take in advance of what is counted, so that those who create for one owner do not conflict',
  // SQLite has one writer at a time; a copy of a PostgreSQL brings rows.
  sql: {
    sqlite: `${TABLE};`,
    // Space beside each row: its next version stays on the page, and no index changes.
    postgres: `${TABLE} WITH (fillfactor = 40);\n${LESS}\n${ADD}\n${countingFunctionsSql('kms_usage_add', COUNTED)}`,
  },
};
