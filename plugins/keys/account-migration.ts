// Records names that own objects or hold grants but belong to nobody any more, so that a later user of the same name does not inherit them.
import type { Migration } from '../../kernel/store/migrate.ts';

/** @param before returns SQL for the part of `text` before `sign` @param now SQL for the current time in milliseconds since the epoch */
function sql(before: (text: string, sign: string) => string, now: string): string {
  const realm = before('named_before.name', '/');
  // `realm/user`. Names with a colon come from outside the realm; they end together with the realm or the role.
  const inRealm = `named_before.name LIKE '%/%' AND ${realm} NOT LIKE '%:%'`;
  const missing = (id: string) => `NOT EXISTS (SELECT 1 FROM account WHERE account.id = ${id})`;
  return `
    CREATE TABLE named_before (name TEXT PRIMARY KEY);
    INSERT INTO named_before (name) SELECT owner FROM kms_object UNION SELECT user_id FROM kms_grant;
    INSERT INTO account (id, name, scope, held, ended_at) SELECT DISTINCT ${realm} || '/', ${realm} || '/', NULL, 1, ${now}
      FROM named_before WHERE ${inRealm} AND ${missing(`${realm} || '/'`)};
    INSERT INTO account (id, name, scope, held, ended_at) SELECT named_before.name, named_before.name, ${realm} || '/', 1, ${now}
      FROM named_before WHERE ${inRealm} AND named_before.name NOT LIKE '%:%' AND named_before.name NOT LIKE '%/*' AND ${missing('named_before.name')};
    INSERT INTO account (id, name, scope, held, ended_at) SELECT name, name, NULL, 1, ${now}
      FROM named_before WHERE name LIKE 'approle:%' AND ${missing('named_before.name')};
    DROP TABLE named_before;
  `;
}

export const ACCOUNT_MIGRATION: Migration = {
  id: 3,
  about: 'names of owners and grantees that are nobody’s any more',
  sql: {
    sqlite: sql((text, sign) => `substr(${text}, 1, instr(${text}, '${sign}') - 1)`, 'unixepoch() * 1000'),
    postgres: sql((text, sign) => `split_part(${text}, '${sign}', 1)`, '(EXTRACT(EPOCH FROM now()) * 1000)::BIGINT'),
  },
};
