// Reads the files of a model that say how it is used. They come from elsewhere: what cannot be used is told with the name of its file.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../kernel/fault.ts';
import { unreadable } from '../manifest.ts';

/** @returns undefined if there is no such file @throws Fault MODEL_FAILED */
export async function readText(folder: string, file: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, file), 'utf8');
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    // A folder of one file, as 1_Pooling, may be missing, too.
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw unreadable(file, cause);
  }
}

/** @returns its object, or its list; an empty object if there is no such file @throws Fault MODEL_FAILED */
export async function readJson(folder: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(folder, file);
  if (text === undefined) return {};
  const value = parsed(text);
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new Fault('MODEL_FAILED', { detail: `${file}: is damaged, it holds no JSON object: get the model again` });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The number of a token. @returns undefined for everything else: then the file says nothing */
export function tokenIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** A number of tokens, hypotheses or positions. @returns a whole number from 1; undefined for everything else: then the file says nothing */
export function countIn(value: unknown): number | undefined {
  // A tokenizer without a limit says 1e30.
  return typeof value === 'number' && Number.isFinite(value) && value >= 1 ? Math.floor(value) : undefined;
}
