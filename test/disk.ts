// A small file system of a test's own, mounted on a folder, so that it can be full.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Disk {
  /** Writes until nothing more fits. @returns the bytes that did */
  fill(): number;
  /** Gives back what was filled. */
  empty(): void;
  end(): void;
}

/** @returns undefined where nobody lets this process mount one */
export function mountDisk(folder: string, sizeMb: number): Disk | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=700`, 'gatehouse-test', folder], { stdio: 'ignore' });
  if (status !== 0) return undefined;
  let isMounted = true;
  const end = () => {
    // Something may still look into it: it goes when nothing does.
    if (isMounted) spawnSync('umount', ['-l', folder], { stdio: 'ignore' });
    isMounted = false;
  };
  process.on('exit', end);
  const filler = join(folder, 'filler');
  return { fill: () => fill(filler), empty: () => rmSync(filler, { force: true }), end };
}

const PIECE = Buffer.alloc(65_536, 1);
const LEAST = 512;

function fill(path: string): number {
  const file = openSync(path, 'w');
  let filled = 0;
  try {
    for (let size = PIECE.length; size >= LEAST; ) {
      try {
        filled += writeSync(file, PIECE, 0, size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size /= 2;
      }
    }
  } finally {
    closeSync(file);
  }
  return filled;
}
