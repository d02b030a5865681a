// A copy of the repository that a mutant is written into, so that the one people work in stays whole.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Checkout {
  readonly root: string;
  write(file: string, text: string): void;
  end(): void;
}

/** With what is changed and new, and without what git ignores; packages are those of the original. */
export function checkOut(original: string): Checkout {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-mutation-'));
  const { stdout, status } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: original, encoding: 'utf8' });
  if (status !== 0) throw new Error('the mutation run needs git, and a checkout');
  for (const file of stdout.split('\n').filter((name) => name !== '' && existsSync(join(original, name)))) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(original, file), join(root, file));
  }
  symlinkSync(join(original, 'node_modules'), join(root, 'node_modules'));
  return { root, write: (file, text) => writeFileSync(join(root, file), text), end: () => rmSync(root, { recursive: true, force: true }) };
}
