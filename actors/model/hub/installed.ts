// The models in the data folder: lists them, compares their files with what was pulled, and removes one.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { differencesFrom, MANIFEST, type Manifest, readManifest } from '../manifest.ts';
import { HubError } from './hub-error.ts';
import { partialFolder } from './pull.ts';

export interface Installed {
  readonly name: string;
  /** On its hub; undefined of a folder that was not pulled. */
  readonly id?: string;
  readonly manifest?: Manifest;
  /** Of a manifest that is there and cannot be used. */
  readonly problem?: string;
  readonly bytes: number;
}

/** @param folder of all models @returns in the order of their names */
export async function installedModels(folder: string): Promise<readonly Installed[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  return Promise.all(names.sort().map((name) => installedModel(folder, name)));
}

async function installedModel(folder: string, name: string): Promise<Installed> {
  const manifest = await readManifest(join(folder, name)).catch((error: Error) => error.message);
  if (typeof manifest === 'string') return { name, bytes: 0, problem: manifest };
  if (!manifest) return { name, bytes: 0 };
  const { id } = JSON.parse(await readFile(join(folder, name, MANIFEST), 'utf8')) as { id?: unknown };
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
  return { name, manifest, bytes, ...(typeof id === 'string' && { id }) };
}

/** @returns what differs from the manifest @throws HubError if there is no such model or it has no manifest */
export async function verifyModel(folder: string, name: string): Promise<readonly string[]> {
  const { manifest, problem } = await requireModel(folder, name);
  if (problem !== undefined) return [problem];
  if (!manifest) throw new HubError(`the model ${name} has no ${MANIFEST}: it was not pulled, so nothing says how its files should be`);
  return differencesFrom(manifest, join(folder, name));
}

/** Also what an unfinished download has left. @throws HubError if there is neither */
export async function removeModel(folder: string, name: string): Promise<void> {
  const partial = partialFolder(folder, name);
  const isPartial = (await readdir(partial).catch(() => undefined)) !== undefined;
  if (!isPartial) await requireModel(folder, name);
  for (const each of [join(folder, name), partial]) await rm(each, { recursive: true, force: true });
}

async function requireModel(folder: string, name: string): Promise<Installed> {
  const all = await installedModels(folder);
  const found = all.find((model) => model.name === name);
  if (found) return found;
  throw new HubError(`there is no model ${name}; installed: ${all.length === 0 ? 'none' : all.map((model) => model.name).join(', ')}`);
}
