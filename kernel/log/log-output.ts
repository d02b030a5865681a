// Where the log goes: a file descriptor that may refuse to be written. A full disk, or a reader that reads no more, costs entries, never the server.
import { writeSync } from 'node:fs';
import { diskTrouble } from '../disk/disk-trouble.ts';

export interface LogOutput {
  /** Adds an entry, or drops it. */
  write(line: string): void;
}

/** How long the first entry that meets a full pipe waits for its reader; further ones do not wait until it reads again. */
const PATIENCE_MS = 1_000;
const PAUSE_MS = 10;

/**
 * @param fd standard output; a pipe there does not block, because Node opens it so
 * @param onMissing told how many entries were dropped, and why if the disk is to blame, when the next one could be written
 */
export function logOutput(fd: number, onMissing: (count: number, why: string | undefined) => void): LogOutput {
  /** The rest of an entry that was written in part. */
  let rest: Buffer = Buffer.alloc(0);
  let dropped = 0;
  let why: string | undefined;
  const refused = (error: unknown) => {
    why = diskTrouble(error);
  };
  const write = (line: string) => {
    const bytes = Buffer.from(line);
    rest = written(fd, rest, dropped === 0, refused);
    if (rest.length > 0) {
      dropped += 1;
      return;
    }
    const left = written(fd, bytes, dropped === 0, refused);
    if (left.length === bytes.length) {
      dropped += 1;
      return;
    }
    rest = left;
    const count = dropped;
    dropped = 0;
    if (count > 0) onMissing(count, why);
  };
  return { write };
}

/** @returns what could not be written */
function written(fd: number, bytes: Buffer, isPatient: boolean, refused: (error: unknown) => void): Buffer {
  let left = bytes;
  for (let pauses = isPatient ? PATIENCE_MS / PAUSE_MS : 0; left.length > 0; ) {
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || pauses === 0) {
        refused(error);
        return left;
      }
      pauses -= 1;
      Atomics.wait(SLEEP, 0, 0, PAUSE_MS);
    }
  }
  return left;
}

const SLEEP = new Int32Array(new SharedArrayBuffer(4));

/** For what is printed beside the log, such as the line that says that the server is ready. */
export function surviveUnwritable(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) stream.on('error', () => {});
}
