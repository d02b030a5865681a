// PyKMIP as PyPI has it, on the TLS listener, in each of its versions.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForeignClient, Outcome } from '../client.ts';
import { pythonEnvironment } from '../program.ts';
import { judge, type Line, stepsOf, VERSIONS } from './steps.ts';
import { startListening, visit } from './visit.ts';

export const PYKMIP: ForeignClient = {
  name: 'pykmip',
  prepare: (folder) => pythonEnvironment(folder, fileURLToPath(new URL('requirements.txt', import.meta.url))),
  async run(folder) {
    const server = await startListening();
    try {
      return outcomeOf(await visit(server, join(folder, 'python', 'bin', 'python')));
    } finally {
      await server.end();
    }
  },
};

function outcomeOf(lines: readonly Line[]): Outcome {
  const steps = VERSIONS.flatMap((version) => stepsOf(version).map((step) => ({ version, step })));
  const problems = steps.flatMap(({ version, step }) => {
    try {
      judge(lines, version, step);
      return [];
    } catch (error) {
      return [`${version} ${(error as Error).message}`];
    }
  });
  return { passed: steps.length - problems.length, problems };
}
