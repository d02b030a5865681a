// The counters that quotas are checked against: sessions, credentials and admins of each realm, tokens and secret ids of each role.
import type { Migration } from '../../kernel/store/migrate.ts';
import { type Counter, countingSql } from '../../kernel/store/usage.ts';

const by = (kind: string, column: string): Counter => ({ kind, scope: (row) => `${row}.${column}` });

export const USAGE_MIGRATION: Migration = {
  id: 5,
  about: 'how much realms and roles have, for their quotas',
  sql: countingSql('auth_usage', [
    { table: 'session', counters: [by('session', 'realm')] },
    { table: 'userpass', counters: [by('credential', 'realm')] },
    { table: 'admin_realm', counters: [by('admin', 'realm')] },
    { table: 'secret_id', counters: [by('secret_id', 'role')] },
    {
      table: 'app_token',
      counters: [
        { kind: 'token_role', scope: (row) => `${row}.kind || ':' || ${row}.role` },
        { kind: 'token', scope: (row) => `${row}.kind || ':' || ${row}.role || '/' || ${row}.entity` },
      ],
    },
  ]),
};
