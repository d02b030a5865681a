// `npm run bench [-- name ...]`: runs the named benchmarks, or all of them, each in a separate process. The exit status is 1 if a limit or a benchmark fails.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LIMIT_FAILED } from './report.ts';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  // Another folder of benchmarks, for tests.
  options: { folder: { type: 'string', default: fileURLToPath(new URL('.', import.meta.url)) } },
});
const SUFFIX = '.bench.ts';
const all = readdirSync(values.folder).flatMap((file) => (file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : []));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(1);
}
// Run all of them, even if some fail.
const failures = (wanted.length === 0 ? all : wanted).flatMap((name) => {
  const { status, signal } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(values.folder, name + SUFFIX)], { stdio: 'inherit' });
  if (status === 0) return [];
  return [`${name}: ${status === LIMIT_FAILED ? 'a limit fails' : `it broke, with ${signal ?? `status ${status}`}`}`];
});
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
