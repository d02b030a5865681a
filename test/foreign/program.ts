// Installs and runs programs of other languages for the foreign clients.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

export interface Output {
  /** null where a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** Beside the variables of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** The program is killed after it. */
  readonly limitMs?: number;
}

const LIMIT_MS = 900_000;
const TELLING_CHARS = 2000;

/** @returns what it printed, whatever its status */
export function outputOf(command: string, args: readonly string[], { cwd, env, limitMs = LIMIT_MS }: ProgramOptions = {}): Promise<Output> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs, killSignal: 'SIGKILL' });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (status) => done({ status, stdout, stderr }));
  });
}

export function isPresent(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/**
 * Makes an environment of Python with the packages of a requirements file, in the folder `python`.
 * @returns why it cannot be made, or undefined
 */
export async function pythonEnvironment(folder: string, requirements: string): Promise<string | undefined> {
  if (!isPresent('python3')) return 'python3 is not here';
  const environment = join(folder, 'python');
  const made = await outputOf('python3', ['-m', 'venv', environment]);
  if (made.status !== 0) return `python3 makes no environment: ${lastWords(made)}`;
  const installed = await outputOf(join(environment, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', '--requirement', requirements]);
  return installed.status === 0 ? undefined : `its packages cannot be installed: ${lastWords(installed)}`;
}

/**
 * Builds a Go module that lies in the repository, in a copy of its folder, as the file `program`.
 * @returns why it cannot be built, or undefined
 * @throws Error where its modules are at hand and it does not compile
 */
export async function goProgram(folder: string, source: string): Promise<string | undefined> {
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) return 'go is not here';
  const copy = join(folder, 'module');
  cpSync(source, copy, { recursive: true });
  const fetched = await outputOf('go', ['mod', 'download'], { cwd: copy });
  if (fetched.status !== 0) return `its modules cannot be fetched: ${lastWords(fetched)}`;
  const built = await outputOf('go', ['build', '-o', join(folder, 'program'), '.'], { cwd: copy });
  if (built.status !== 0) throw new Error(`${source} does not compile: ${lastWords(built)}`);
  return undefined;
}

function lastWords({ stdout, stderr }: Output): string {
  return (stderr.trim() || stdout.trim()).slice(-TELLING_CHARS);
}
