// Runs a tour that is given nothing of the person who runs it: no tokens, configuration or addresses; loopback is asked directly.
import type { Outcome } from './client.ts';
import { outputOf } from './program.ts';
import { outcomeOf } from './steps.ts';

const ALONE = {
  // Where steps.py is; nothing is written beside it.
  ...{ PYTHONPATH: import.meta.dirname, PYTHONDONTWRITEBYTECODE: '1' },
  ...{ NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' },
  ...{ VAULT_ADDR: '', VAULT_TOKEN: '', VAULT_NAMESPACE: '', BAO_ADDR: '', BAO_TOKEN: '', BAO_NAMESPACE: '' },
};

/** @param folder the program's home and working directory */
export async function tour(command: string, args: readonly string[], folder: string): Promise<Outcome> {
  return outcomeOf(await outputOf(command, args, { cwd: folder, env: { ...ALONE, HOME: folder } }));
}
