// Installs a model of a hub: downloads its files beside the installed models, checks them, and shows the whole at once.
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Precision } from '../api.ts';
import { MANIFEST, type Manifest } from '../manifest.ts';
import { fileAddress } from './address.ts';
import { type Download, download } from './download.ts';
import { chosenFiles, type HubFile, listingOf } from './listing.ts';
import type { Hub } from './request.ts';
import { requireRoom } from './room.ts';

export interface Pull extends Pick<Download, 'pause'> {
  readonly hub: Hub;
  readonly id: string;
  readonly revision: string;
  readonly precision: Precision;
  /** The folder of all models, and the name of this one in it. */
  readonly folder: string;
  readonly name: string;
  onProgress(progress: PullProgress): void;
}

export interface PullProgress {
  readonly path: string;
  /** Of all files together. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** Of this file. */
  readonly isDone: boolean;
}

/** Folders that begin with a dot are no models. */
export const partialFolder = (folder: string, name: string) => join(folder, `.${name}.partial`);
const replacedFolder = (folder: string, name: string) => join(folder, `.${name}.replaced`);
const PLAN = '.plan.json';

/** @returns the manifest of the installed model @throws HubError; what has arrived is kept for the next attempt */
export async function pull(given: Pull): Promise<Manifest> {
  const { hub, id, revision, precision, folder, name, onProgress } = given;
  const listing = await listingOf(hub, id, revision);
  const files = chosenFiles(listing, precision);
  const partial = partialFolder(folder, name);
  await keepOnly(partial, [hub.url, id, listing.commit, ...files.map(({ path }) => path)].join(' '));
  await requireRoom(partial, files);
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const digests: Record<string, { sha256: string; bytes: number }> = {};
  let before = 0;
  for (const file of files) {
    const tell = (bytes: number, isDone: boolean) => onProgress({ path: file.path, bytes: before + bytes, totalBytes, isDone });
    digests[file.path] = { sha256: await fetchFile(given, listing.commit, file, partial, (bytes) => tell(bytes, false)), bytes: file.bytes };
    tell(file.bytes, true);
    before += file.bytes;
  }
  const manifest: Manifest = { revision: listing.commit, files: digests };
  await writeFile(join(partial, MANIFEST), JSON.stringify({ id, ...manifest }, null, 2), { mode: 0o600, flush: true });
  await show(partial, folder, name);
  return manifest;
}

async function fetchFile({ hub, id, pause }: Pull, commit: string, file: HubFile, partial: string, onProgress: (bytes: number) => void): Promise<string> {
  const to = join(partial, file.path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  return download({ hub, address: fileAddress(hub.url, id, commit, file.path), file, to, pause, onProgress });
}

/** What was begun for another model or commit is of no use; half a file of other weights would be taken for weights of the model. */
async function keepOnly(partial: string, plan: string): Promise<void> {
  if ((await readFile(join(partial, PLAN), 'utf8').catch(() => undefined)) === plan) return;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  await writeFile(join(partial, PLAN), plan, { mode: 0o600 });
}

/** A server that reads the model at this moment sees all of the old files or all of the new ones, or for an instant none. */
async function show(partial: string, folder: string, name: string): Promise<void> {
  await rm(join(partial, PLAN));
  const [installed, replaced] = [join(folder, name), replacedFolder(folder, name)];
  await rm(replaced, { recursive: true, force: true });
  await rename(installed, replaced).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(partial, installed);
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
  await rm(replaced, { recursive: true, force: true });
}
