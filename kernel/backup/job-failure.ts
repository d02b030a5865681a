// Why a job on the whole store failed, where that is the state of a database, as a text for the operator.
import { serverFailure } from '../start/start-failure.ts';
import { BackupError } from './format.ts';

/** The setting that names the database, as the texts of failures have it. */
const SETTING = '[store] url';

/**
 * @param job for the operator: `the backup`
 * @param setting that names the database
 * @throws BackupError for a database that is away, full or read-only, or does not let the job in; any other error as it is
 */
export async function jobOf<T>(job: string, run: () => Promise<T>, setting = SETTING): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const why = serverFailure(error);
    if (why === undefined) throw error;
    throw new BackupError(`${job} failed: ${why.replace(SETTING, setting)}`, { cause: error });
  }
}
