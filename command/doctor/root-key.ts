// Checks whether the root key opens the data keys of the database. With another one, or without it, the server does not start.
import { ConfigError } from '../../kernel/config/config-error.ts';
import { type DataKeyRow, dataKeyRows } from '../../kernel/keys/data-key-row.ts';
import { openDataKeys, overwrite } from '../../kernel/keys/keyring.ts';
import { rootKeyPath, rootKeys } from '../../kernel/keys/root-key.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { type Finding, type Installation, ok, problem } from './finding.ts';

const ABOUT = 'root key';
const PUT_BACK = 'put it back from where you keep it: without it nobody can open the keys';

export async function checkRootKey({ config, dataDir }: Pick<Installation, 'config' | 'dataDir'>, from: Pick<Reader, 'all'>): Promise<Finding[]> {
  const source = { dataDir, configured: config.store.root_key };
  const rows = await storedKeys(from);
  if (rows.length === 0) return [];
  try {
    if (rootKeys(source).next().done === true) return [problem(ABOUT, `${rootKeyPath(dataDir)} is missing, and the database needs it`, PUT_BACK)];
    const opened = await openDataKeys(source, rows);
    const name = source.configured === '' ? rootKeyPath(dataDir) : 'store.root_key';
    if (!opened) return [problem(ABOUT, `${name} does not open the keys of the database: it is the one of another`, PUT_BACK)];
    overwrite(opened);
    return [ok(ABOUT, `${name} opens the keys of the database`)];
  } catch (error) {
    // Another check tells of one that is none.
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

/** @returns none for a database without tables, which the first start makes; the check of rights tells of tables that cannot be read */
async function storedKeys(from: Pick<Reader, 'all'>): Promise<DataKeyRow[]> {
  try {
    return await dataKeyRows(from);
  } catch {
    return [];
  }
}
