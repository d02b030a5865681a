// Runs one test file in its own process group, which is always gone when the promise settles.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../bin/node-flags.mjs';

export interface Ended {
  readonly file: string;
  /** Standard output and standard error. */
  readonly output: string;
  /** Exit status; null after a signal. */
  readonly code: number | null;
  /** Suites that the file has registered with uvu; undefined if the process ended before it could report them. */
  readonly suites: number | undefined;
  /** It exceeded the time limit and was killed. */
  readonly overran: boolean;
  /** It ended, but a process that it had started still held its output open. */
  readonly leftOpen: boolean;
  readonly seconds: number;
}

export interface ProcessLimits {
  readonly limitMs: number;
  /** Time that processes started by the file have to end after it. */
  readonly graceMs: number;
  /** Whether it is killed as soon as uvu reports a failed test. */
  readonly isOverAtFailure?: boolean;
}

/** Printed by uvu as soon as a test fails. */
const FAILURE = '✘ ';
const ENTRY = fileURLToPath(new URL('entry.ts', import.meta.url));
/** Those of a server, with the young generation that its main thread has. */
const FLAGS = nodeFlags({ isServer: true, quickImports: new URL('quick-imports.ts', import.meta.url).href });
const running = new Set<ChildProcess>();
let isEnding = false;

/** @param root working folder of the process @param file path relative to it @param env additional environment variables */
export function runFile(
  root: string,
  file: string,
  { limitMs, graceMs, isOverAtFailure = false }: ProcessLimits,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  if (isEnding) return new Promise(() => {});
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...FLAGS, ENTRY, `${root}/${file}`], {
    cwd: root,
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  let [output, said, overran, leftOpen] = ['', '', false, false];
  const streams = child.stdio.slice(1) as Readable[];
  for (const stream of streams.slice(0, 2)) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  if (isOverAtFailure) streams[0]?.on('data', (text: string) => text.includes(FAILURE) && killGroup(child));
  streams[2]?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const limit = setTimeout(() => {
    overran = true;
    killGroup(child);
  }, limitMs);
  let grace: NodeJS.Timeout | undefined;
  child.on('exit', () => {
    clearTimeout(limit);
    grace = setTimeout(() => {
      leftOpen = true;
      killGroup(child);
      for (const stream of streams) stream.destroy();
    }, graceMs);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(grace);
      killGroup(child);
      running.delete(child);
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ file, output, code, suites: said === '' ? undefined : Number(said), overran, leftOpen, seconds });
    });
  });
}

/** Kills all running files, for a runner that is stopped. No other begins. */
export function killRunning(): void {
  isEnding = true;
  for (const child of running) killGroup(child);
}

/** Kills the process and those that it has started: a database that outlives its test would hold the output open forever. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}
