// Checks whether this version of gatehouse can go on with the database: it touches neither one that a newer version has changed nor half a copy.
import { IS_UNFINISHED, migrationLevels, newerLevel } from '../../kernel/store/migrate.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { type Finding, type Installation, problem } from './finding.ts';

export async function checkLevels({ migrations }: Pick<Installation, 'migrations'>, from: Pick<Reader, 'all'>): Promise<Finding[]> {
  const [copied] = await from.all<{ done: number }>('SELECT done FROM unfinished_copy LIMIT 1').catch(() => []);
  if (copied) return [problem('database', IS_UNFINISHED, 'until it has finished, start the server on the database that is copied')];
  // A database without tables is still new; the check of rights tells of tables that cannot be read.
  const levels = await migrationLevels(from).catch(() => ({}));
  const newer = newerLevel(levels, migrations);
  return newer === undefined ? [] : [problem('database', newer, 'start the newer version that made it, or restore a backup of before')];
}
