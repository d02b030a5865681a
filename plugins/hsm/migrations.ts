// The table of the HSM actors. Migrations only go forward.
import type { Migration } from '../../kernel/store/migrate.ts';

export const HSM_MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    about: 'tokens that configured slots are bound to',
    sql: 'CREATE TABLE hsm_slot (node TEXT NOT NULL, prefix TEXT NOT NULL, slot BIGINT NOT NULL, serial TEXT NOT NULL, PRIMARY KEY (node, prefix, slot))',
  },
];
