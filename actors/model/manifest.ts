// The files of a model on disk: what its folder must have, which weights are used, and a hash that says whether all is as it was pulled.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../kernel/fault.ts';

/** `manifest.json` in the folder of a model: what was pulled. Folders without one are used as they are. */
export interface Manifest {
  /** Commit of the hub's repository. */
  readonly revision: string;
  /** By path from the folder, with `/`. */
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
}

export const MANIFEST = 'manifest.json';

/** @param file of a model, by its path from the folder */
export function unreadable(file: string, cause: NodeJS.ErrnoException): Fault {
  return new Fault('MODEL_FAILED', { detail: `${file}: cannot be read (${cause.code})`, cause });
}

/** @returns undefined if there is none @throws Fault MODEL_FAILED if it is malformed or cannot be read */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw unreadable(MANIFEST, cause);
  });
  if (text === undefined) return undefined;
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (typeof manifest.revision === 'string' && Object.values(manifest.files).every(({ sha256, bytes }) => typeof sha256 === 'string' && bytes >= 0))
      return manifest;
  } catch {
    // Refused below.
  }
  throw new Fault('MODEL_FAILED', { detail: `${MANIFEST} of the model is malformed: pull the model again` });
}

/** @returns the files that are not as the manifest says, each with what is wrong @throws Fault MODEL_FAILED for one that cannot be read */
export async function differencesFrom({ files }: Manifest, folder: string): Promise<string[]> {
  const differences: string[] = [];
  for (const [path, { sha256, bytes }] of Object.entries(files)) {
    const size = await sizeOf(join(folder, path));
    if (size === undefined) differences.push(`${path}: missing`);
    else if (size !== bytes) differences.push(`${path}: ${size} bytes instead of ${bytes}`);
    else if ((await contentOf(folder, path)) !== sha256) differences.push(`${path}: its content was changed`);
  }
  return differences;
}

/** Checks the files against the manifest, if there is one. @returns the revision: that of the manifest, or a hash of the files @throws Fault MODEL_FAILED */
export async function revisionOf(folder: string): Promise<string> {
  const manifest = await readManifest(folder);
  if (manifest) {
    const differences = await differencesFrom(manifest, folder);
    if (differences.length > 0) throw new Fault('MODEL_FAILED', { detail: `the files of the model are not as they were pulled: ${differences.join('; ')}` });
    return manifest.revision;
  }
  const all = createHash('sha256');
  for (const path of await filesIn(folder)) all.update(`${path}\0${await contentOf(folder, path)}\n`);
  return all.digest('hex').slice(0, 40);
}

/** @returns the paths of the files that make a model what it is, in order */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  return paths.filter((path) => /\.(json|jinja|txt|model|onnx|onnx_data.*)$/.test(path)).sort();
}

/** @returns bytes; undefined if there is no such file */
export async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

/** @throws Fault MODEL_FAILED for a file that is there and cannot be read */
async function contentOf(folder: string, path: string): Promise<string> {
  return hashOf(join(folder, path)).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause);
  });
}

export async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
