// Pins processes and threads to cores, so that one machine can stand for several.
import { spawnSync } from 'node:child_process';

/** With all threads that they have. @param cores as taskset takes them: `0`, `0-1` @throws Error if it cannot be done */
export function pin(pids: readonly number[], cores: string): void {
  for (const pid of pids) taskset(['--all-tasks'], cores, pid);
}

/** Each to a core of its own, the first to core 0. @param threads as `threadCpuMsOf` names them @throws Error if it cannot be done */
export function pinEach(threads: readonly number[]): void {
  for (const [core, thread] of threads.entries()) taskset([], String(core), thread);
}

function taskset(flags: readonly string[], cores: string, id: number): void {
  const { status, error, stderr } = spawnSync('taskset', [...flags, '--cpu-list', '--pid', cores, String(id)], { encoding: 'utf8' });
  // What has ended meanwhile needs no core.
  if (status !== 0 && isThere(id)) throw new Error(`processes or threads cannot be pinned to cores: ${error?.message ?? stderr}`);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
