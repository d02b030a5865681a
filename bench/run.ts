// Runs the benchmarks named on the command line, or all of them, each in a process of its own.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const all = readdirSync(folder).filter((file) => file.endsWith('.bench.ts'));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(`${name}.bench.ts`));
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(', ')}; there are ${all.map((file) => file.replace('.bench.ts', '')).join(', ')}`);
  process.exit(1);
}
for (const file of wanted.length === 0 ? all : wanted.map((name) => `${name}.bench.ts`)) {
  const { status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', `${folder}${file}`], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
