// The migrations of all plugins.
import type { AnyPlugin } from '../plugin.ts';
import type { MigrationSet } from '../store/migrate.ts';

/** In the order in which they are applied, after those of the kernel. */
export function migrationSets(plugins: readonly AnyPlugin[]): readonly MigrationSet[] {
  return plugins.map(({ name, migrations }) => ({ owner: name, migrations: migrations ?? [] }));
}
