// The processes of a program: stops and continues all of them.
import { readdirSync, readFileSync } from 'node:fs';

/** Stops or continues a process and all below it. */
export function signalAll(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(pid, signal);
  for (const child of childrenOf(pid)) signalAll(child, signal);
}

/** The processes below one, by Linux. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });
}
