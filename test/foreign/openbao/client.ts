// The Go client of OpenBao: it signs in as machines do, keeps its tokens alive, and does with them what it can.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForeignClient } from '../client.ts';
import { goProgram } from '../program.ts';
import { tour } from '../tour.ts';
import { withVaultFacts } from '../vault-facts.ts';

export const OPENBAO: ForeignClient = {
  name: 'openbao',
  async prepare(folder) {
    const built = await goProgram(folder, fileURLToPath(new URL('module', import.meta.url)));
    return 'missing' in built ? built.missing : undefined;
  },
  run: (folder) => withVaultFacts(folder, (facts) => tour(join(folder, 'program'), [facts], folder)),
};
