// For commands that create what the API replaces without a word if it is there: they refuse that unless it was asked for.
import { GatehouseError } from '../../client/error.ts';
import { type Flag, flag } from '../command.ts';
import { CommandError, EXIT } from '../exit.ts';

export const REPLACE: Flag = flag('--replace', 'replace it if it is there already, with all its settings');

export interface Replace {
  readonly replace?: boolean;
}

/**
 * @param what `the role web` @param show asks the server for it
 * @throws CommandError if it is there, with the exit code of everything else that exists already
 */
export async function requireNew(what: string, { replace }: Replace, show: () => Promise<unknown>): Promise<void> {
  if (replace || !(await isThere(show))) return;
  throw new CommandError(`${what} exists already; --replace replaces all its settings`, EXIT.refused);
}

async function isThere(show: () => Promise<unknown>): Promise<boolean> {
  try {
    await show();
    return true;
  } catch (error) {
    if (error instanceof GatehouseError && error.status === 404) return false;
    throw error;
  }
}
