// Collects the migrations of all plugins.
import type { AnyPlugin } from '../plugin.ts';
import type { MigrationSet } from '../store/migrate.ts';

/** @returns the migrations in their order; those of the kernel come before them */
export function migrationSets(plugins: readonly AnyPlugin[]): readonly MigrationSet[] {
  return plugins.map(({ name, migrations }) => ({ owner: name, migrations: migrations ?? [] }));
}
