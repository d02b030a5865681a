// Builds packages, installs them where nothing else is, and uses them: `npm run packages [-- npm | debian | oci]`. Takes some minutes; not part of npm test.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const KINDS = ['npm', 'debian', 'oci'] as const;

const wanted = process.argv.slice(2);
const strange = wanted.filter((kind) => !KINDS.some((known) => known === kind));
if (strange.length > 0) throw new Error(`there is no package ${strange.join(', ')}; there are: ${KINDS.join(', ')}`);
for (const kind of wanted.length > 0 ? wanted : KINDS) {
  console.log(`package ${kind}:`);
  const file = fileURLToPath(new URL(`${kind}.check.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', file], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
