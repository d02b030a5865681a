// What processes cost: CPU time and memory, from /proc on Linux and from ps elsewhere.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const HAS_PROC = existsSync('/proc/self/stat');
/** USER_HZ of every Linux that Node runs on. */
const TICK_MS = 10;

/** CPU time of all threads so far, in milliseconds. */
export function cpuMsOf(pid: number): number {
  if (!HAS_PROC) return clockMs(ps(pid, 'time'));
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** CPU time of each thread so far, in milliseconds, by its number, which is unique among those of all processes. Linux only. */
export function threadCpuMsOf(pid: number): ReadonlyMap<number, number> {
  return new Map(
    readdirSync(`/proc/${pid}/task`).flatMap((name): [number, number][] => {
      try {
        const fields = statOf(`${pid}/task/${name}`);
        return [[Number(name), (Number(fields[11]) + Number(fields[12])) * TICK_MS]];
      } catch {
        // It has ended.
        return [];
      }
    }),
  );
}

/** Memory in use in MB; pages that processes share are counted once where the system tells. */
export function memoryMbOf(pids: readonly number[]): number {
  const kb = pids.reduce((sum, pid) => sum + (HAS_PROC ? sharedKb(pid) : Number(ps(pid, 'rss'))), 0);
  return (kb * 1_024) / 1e6;
}

/** The process and all that it started, directly or not. */
export function treeOf(pid: number): number[] {
  const parents = HAS_PROC ? parentsInProc() : parentsByPs();
  const tree = [pid];
  for (const each of tree) for (const [child, parent] of parents) if (parent === each) tree.push(child);
  return tree;
}

/** The fields after the name of the program, which may contain anything: state, parent, ... @param path of a process or of one of its threads, below /proc */
function statOf(path: number | string): string[] {
  const text = readFileSync(`/proc/${path}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(') ') + 2).split(' ');
}

function sharedKb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]);
}

function parentsInProc(): [number, number][] {
  return readdirSync('/proc').flatMap((name): [number, number][] => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [[Number(name), Number(statOf(Number(name))[1])]];
    } catch {
      // It has ended.
      return [];
    }
  });
}

function parentsByPs(): [number, number][] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
}

function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
}

/** `[[hours:]minutes:]seconds` with a fraction, as ps prints it. */
function clockMs(text: string): number {
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000;
}
