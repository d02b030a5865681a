// Checks whether this version of gatehouse can go on with the database: it does not touch one that a newer version has changed.
import { migrationLevels, newerLevel } from '../../kernel/store/migrate.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { type Finding, type Installation, problem } from './finding.ts';

export async function checkLevels({ migrations }: Pick<Installation, 'migrations'>, from: Pick<Reader, 'all'>): Promise<Finding[]> {
  // A database without tables is still new; the check of rights tells of tables that cannot be read.
  const levels = await migrationLevels(from).catch(() => ({}));
  const newer = newerLevel(levels, migrations);
  return newer === undefined ? [] : [problem('database', newer, 'start the newer version that made it, or restore a backup of before')];
}
