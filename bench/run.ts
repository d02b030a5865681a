// `npm run bench [-- name ...]`: runs the benchmarks named, or all of them, each in a process of its own; ends with status 1 if a limit fails or one breaks.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LIMIT_FAILED } from './report.ts';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  // Of other benchmarks: the tests have some that take no time.
  options: { folder: { type: 'string', default: fileURLToPath(new URL('.', import.meta.url)) } },
});
const SUFFIX = '.bench.ts';
const all = readdirSync(values.folder).flatMap((file) => (file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : []));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(1);
}
// All of them run: what fails in one says nothing of the others.
const failures = (wanted.length === 0 ? all : wanted).flatMap((name) => {
  const { status, signal } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(values.folder, name + SUFFIX)], { stdio: 'inherit' });
  if (status === 0) return [];
  return [`${name}: ${status === LIMIT_FAILED ? 'a limit fails' : `it broke, with ${signal ?? `status ${status}`}`}`];
});
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
