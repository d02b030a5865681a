// The processes of a program: stops and continues all of them.
import { readdirSync, readFileSync } from 'node:fs';

/** Stops or continues a process and all below it. Each stands still while those below it are listed: a list that changes meanwhile leaves some out. */
export function signalAll(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (signal === 'SIGSTOP') process.kill(pid, signal);
  for (const child of childrenOf(pid)) signalAny(child, signal);
  if (signal === 'SIGCONT') process.kill(pid, signal);
}

/** One that has ended meanwhile needs no signal. */
function signalAny(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    signalAll(pid, signal);
  } catch (error) {
    if (!['ESRCH', 'ENOENT'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/** The processes below one, by Linux. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });
}
