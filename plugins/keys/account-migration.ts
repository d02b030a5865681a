// Names that own objects or were granted some, and are nobody's any more: who has them next is somebody else.
import type { Migration } from '../../kernel/store/migrate.ts';

/** @param before the part of a text before a sign @param now milliseconds since the epoch */
function sql(before: (text: string, sign: string) => string, now: string): string {
  const realm = before('named_before.name', '/');
  // `realm/user`; the forms with a colon are named from outside, and end with the realm or the role.
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
