// The Go clients of OpenBao and of Vault: they sign in as machines do, keep their tokens alive, and do with them what they can.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForeignClient } from '../client.ts';
import { goProgram } from '../program.ts';
import { tour } from '../tour.ts';
import { withVaultFacts } from '../vault-facts.ts';

function goClient(name: 'openbao' | 'vault'): ForeignClient {
  return {
    name,
    prepare: (folder) => goProgram(folder, fileURLToPath(new URL('module', import.meta.url))),
    run: (folder) => withVaultFacts(folder, (facts) => tour(join(folder, 'program'), [facts, name], folder)),
  };
}

export const OPENBAO = goClient('openbao');
/** With its own ways to sign in, which are modules of their own. */
export const VAULT = goClient('vault');
