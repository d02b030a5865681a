// Repositories of made-up test files, and runs of the test runner on them.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './server.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MS = 2_000;
const folders: string[] = [];
/** Call it after the tests. */
export function removeRepositories(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface Ran {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly last: string;
}

/** A repository of test files; their content by their name without `.test.ts`. */
export function repository(contents: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  folders.push(folder);
  for (const [name, content] of Object.entries(contents)) {
    const path = join(folder, 'test', name.includes('.') ? name : `${name}.test.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

export function ran(command: string, args: readonly string[], options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}): Promise<Ran> {
  const child = spawn(command, args, { env: process.env, ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      const lines = output.trimEnd().split('\n');
      resolve({ status, lines, last: lines.at(-1) as string });
    });
  });
}

/** @param ci whether the run is one of CI */
export function run(
  contents: Readonly<Record<string, string>>,
  { parts = [], ci = false, limitMs = LIMIT_MS }: { readonly parts?: readonly string[]; readonly ci?: boolean; readonly limitMs?: number } = {},
) {
  const env = { ...process.env, CI: ci ? 'true' : '', GATEHOUSE_TEST_INSTALL: '' };
  return ran(process.execPath, [join(ROOT, 'test/run.ts'), '--root', repository(contents), '--limit-ms', String(limitMs), ...parts], { env });
}

export const file = (...lines: readonly string[]) => `import { test } from 'uvu';\n${lines.join('\n')}\ntest.run();\n`;
export const PASS = "test('passes', () => {});";
export const FAIL = "test('fails', () => { throw new Error('on purpose'); });";
export const SKIP = "console.log('skipped: it needs the package nothing'); test.skip('other', () => {});";
