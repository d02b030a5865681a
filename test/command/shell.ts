// Runs scripts in bash that call the command against a started server, each with profiles of its own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitOf, root, type Started, start } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shell {
  readonly folder: string;
  run(script: string, stdin?: string): Promise<Ended>;
}

/** The launcher is tried once; afterwards its second node start would only take time. */
const COMMAND = `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${join(root, 'command/main.ts')}' "$@"\n`;

/** A folder with `data` of the server and `node_modules`, as the pages of the documents expect. */
export function shell(server: Pick<Started, 'address'>, dataDir: string): Shell {
  const folder = temporaryFolder();
  symlinkSync(dataDir, join(folder, 'data'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'profiles'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'gatehouse'), COMMAND, { mode: 0o700 });
  const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, ADDRESS: server.address, BASE: server.address, GATEHOUSE_PROFILE_DIR: join(folder, 'profiles'), NO_COLOR: '1' };
  return {
    folder,
    run: (script, stdin = '') =>
      new Promise((resolve) => {
        const child = spawn('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script], { cwd: folder, env, stdio: 'pipe', timeout: 200_000 });
        let stdout = '';
        let stderr = '';
        child.stdout.on('data', (data) => (stdout += data));
        child.stderr.on('data', (data) => (stderr += data));
        child.stdin.on('error', () => {});
        child.stdin.end(stdin);
        child.on('close', (code) => resolve({ code, stdout, stderr }));
      }),
  };
}

/** The blocks of shell commands of docs/command-line.md with this name. */
export function blocks(name: string): string {
  const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8');
  return [...page.matchAll(new RegExp(`\`\`\`sh ${name}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block as string).join('\n');
}

/** Signs in the administrator, with a new password. */
export const SIGN_IN = `
FINGERPRINT=$(openssl x509 -noout -fingerprint -sha256 -in data/tls/cert.pem | cut -d= -f2)
(cat data/initial-password; echo 'correct horse battery') |
  gatehouse login $ADDRESS --fingerprint $FINGERPRINT --user admin --password-file - --new-password-file -
`;

export interface SignedIn {
  readonly server: Started;
  readonly bash: Shell;
  /** Stops the server, and removes what both have written. */
  end(): Promise<void>;
}

/** A started server, and a shell in which its administrator is signed in. @param script what runs after that */
export async function signedInShell(script = ''): Promise<SignedIn> {
  const home = temporaryFolder();
  const server = await start(join(home, 'data'));
  const bash = shell(server, join(home, 'data'));
  const { code, stdout, stderr } = await bash.run(`${SIGN_IN}\n${script}`);
  assert.equal(code, 0, stdout + stderr);
  const end = async () => {
    server.child.kill('SIGTERM');
    await exitOf(server.child);
    for (const folder of [bash.folder, home]) rmSync(folder, { recursive: true });
  };
  return { server, bash, end };
}
