// The counters that quotas are checked against: objects, their bytes and their grants, for each owner and each realm.
import type { Migration } from '../../kernel/store/migrate.ts';
import type { Dialect } from '../../kernel/store/store.ts';
import { type CountedTable, type Counter, countingSql } from '../../kernel/store/usage.ts';

const owner = (row: string) => `${row}.owner`;
/** The prefix of all identities of a realm or of a cluster role; null for other identities. */
const realm = (row: string, dialect: Dialect) => {
  const slash = dialect === 'sqlite' ? `instr(${row}.owner, '/')` : `position('/' IN ${row}.owner)`;
  return `CASE WHEN ${slash} = 0 OR ${row}.owner LIKE 'jwt:%' OR ${row}.owner LIKE 'idp:%' THEN NULL ELSE substr(${row}.owner, 1, ${slash}) END`;
};
const size = (row: string) => `${row}.size`;
const ownerOf = (row: string) => `(SELECT owner FROM kms_object WHERE kms_object.id = ${row}.object_id)`;

const OBJECTS: readonly Counter[] = [
  { kind: 'object', scope: owner },
  { kind: 'object_bytes', scope: owner, amount: size },
  { kind: 'realm_object', scope: realm },
  { kind: 'realm_object_bytes', scope: realm, amount: size },
  // Grants move with the object to its new owner.
  { kind: 'grant', scope: owner, amount: (row) => `(SELECT COUNT(*) FROM kms_grant WHERE kms_grant.object_id = ${row}.id)` },
];

export const COUNTED: readonly CountedTable[] = [
  { table: 'kms_object', counters: OBJECTS, changing: ['owner', 'size'] },
  // Existing grants are counted with their objects.
  { table: 'kms_grant', counters: [{ kind: 'grant', scope: ownerOf }], isCounted: true },
];
const counting = countingSql('kms_usage', COUNTED);
const SIZE = `ALTER TABLE kms_object ADD COLUMN size BIGINT NOT NULL DEFAULT 0;
  UPDATE kms_object SET size = OCTET_LENGTH(attributes) + COALESCE(OCTET_LENGTH(content), 0);`;

export const USAGE_MIGRATION: Migration = {
  id: 5,
  about: 'sizes of objects; how much owners and realms have, for their quotas',
  sql: { sqlite: `${SIZE}\n${counting.sqlite}`, postgres: `${SIZE}\n${counting.postgres}` },
};
