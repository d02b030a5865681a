// Runs one test file in a process group of its own, which is gone when the answer is there, whatever the file does.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly file: string;
  /** Of both streams. */
  readonly output: string;
  /** Exit status; null after a signal. */
  readonly code: number | null;
  /** Suites that the file had registered with uvu; undefined when the process could not say so any more. */
  readonly suites: number | undefined;
  /** It ran beyond the limit and was killed. */
  readonly overran: boolean;
  /** It was gone, and a process that it had started still held its output. */
  readonly leftOpen: boolean;
  readonly seconds: number;
}

export interface ProcessLimits {
  readonly limitMs: number;
  /** For what a file has started to end after it. */
  readonly graceMs: number;
  /** Whether it is killed as soon as uvu has told of a test that failed, for whoever asks no more than that. */
  readonly isOverAtFailure?: boolean;
}

/** What uvu prints as soon as a test has failed. */
const FAILURE = '✘ ';
const ENTRY = fileURLToPath(new URL('entry.ts', import.meta.url));
const running = new Set<ChildProcess>();

/** @param root folder that the process works in @param file path from there @param env more of its environment */
export function runFile(
  root: string,
  file: string,
  { limitMs, graceMs, isOverAtFailure = false }: ProcessLimits,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ENTRY, `${root}/${file}`], {
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

/** For a runner that is stopped itself. */
export function killRunning(): void {
  for (const child of running) killGroup(child);
}

/** The process and what it has started: a database that outlives its test would hold the output open for ever. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
