// hvac, the Python client of Vault: it signs in as machines do, and does with its tokens what it can.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForeignClient } from '../client.ts';
import { pythonEnvironment } from '../program.ts';
import { tour } from '../tour.ts';
import { withVaultFacts } from '../vault-facts.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export const HVAC: ForeignClient = {
  name: 'hvac',
  prepare: (folder) => pythonEnvironment(folder, file('requirements.txt')),
  run: (folder) => withVaultFacts(folder, (facts) => tour(join(folder, 'python', 'bin', 'python'), [file('tour.py'), facts], folder)),
};
