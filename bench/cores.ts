// Pins processes to cores, so that one machine can stand for several.
import { spawnSync } from 'node:child_process';

/** With all threads that they have. @param cores as taskset takes them: `0`, `0-1` @throws Error if it cannot be done */
export function pin(pids: readonly number[], cores: string): void {
  for (const pid of pids) {
    const { status, error, stderr } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { encoding: 'utf8' });
    // A process that has ended meanwhile needs no core.
    if (status !== 0 && isThere(pid)) throw new Error(`the processes cannot be pinned to cores: ${error?.message ?? stderr}`);
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
