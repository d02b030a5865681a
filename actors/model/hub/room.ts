// Whether a model fits on the disk of the data folder: a download that fills it would keep the server from writing.
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from './hub-error.ts';
import type { HubFile } from './listing.ts';
import { amount } from './progress.ts';

/** In bytes: what a running server writes meanwhile must fit too. */
const RESERVE = 100_000_000;

/** @param partial folder of what has arrived in earlier attempts @throws HubError that names both sizes */
export async function requireRoom(partial: string, files: readonly HubFile[]): Promise<void> {
  let missing = 0;
  for (const { path, bytes } of files) {
    const { size } = await stat(join(partial, path)).catch(() => ({ size: 0 }));
    missing += Math.max(0, bytes - size);
  }
  const { bavail, bsize } = await statfs(partial);
  const free = bavail * bsize;
  if (missing > 0 && missing > free - RESERVE)
    throw new HubError(
      `there is no room for the model: ${amount(missing)} are to come, and of the ${amount(free)} that are free on the disk of ${partial} the server needs ${amount(RESERVE)}`,
    );
}
