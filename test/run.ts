// `npm test [-- part of a path ...]`: runs the test files, sums up, and installs the system packages that they want where it may.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { killRunning } from './runner/file-process.ts';
import { installSystemPackages } from './runner/installation.ts';
import { endRunPostgres } from './runner/run-postgres.ts';
import { runTests } from './runner/test-run.ts';

/** More than there are cores: a third of the time a test file waits, for a database, a browser or a clock. */
const FILES_AT_ONCE = 3;
const GRACE_MS = 5_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Of another repository: the runner's own tests have one.
    root: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    'limit-ms': { type: 'string', default: '300000' },
  },
});
const isCi = !['', '0', 'false'].includes(process.env['CI'] ?? '');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    killRunning();
    void endRunPostgres().finally(() => process.exit(1));
  });
}
// Every file starts a server of the same modules, with several threads.
process.env['NODE_COMPILE_CACHE'] ??= join(values.root, 'node_modules', '.cache', 'compiled-for-tests');
if (isCi || process.env['GATEHOUSE_TEST_INSTALL'] === '1') installSystemPackages();
process.exitCode = await runTests({
  root: values.root.replace(/\/$/, ''),
  parts: positionals,
  width: FILES_AT_ONCE,
  limitMs: Number(values['limit-ms']),
  graceMs: GRACE_MS,
  isStrict: isCi,
  print: console.log,
});
