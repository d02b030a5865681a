// Reads secrets from the files and variables that the configuration names.
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TSchema } from 'typebox';
import { isLate, isSecret } from './schema.ts';
import { readSecretFile, type SecretFile } from './secret-file.ts';
import { whyUnread } from './text-file.ts';

export const SECRET_FORMS = 'must be a text, { file = "PATH" } or { env = "NAME" }';

export interface SecretSources {
  /** Folder of relative paths. */
  readonly base: string;
  readonly env: NodeJS.ProcessEnv;
  /** Collects the names of variables that held a secret. They are deleted after everything is read. */
  readonly used: Set<string>;
  /** Collects the files that hold a secret: absolute paths, by their keys in the configuration. */
  readonly files: Map<string, string>;
  readonly problems: string[];
}

/** Parses `file:PATH` and `env:NAME`, the references in flags and variables. Any other text is returned unchanged. */
export function parseReference(text: string): string | { file: string } | { env: string } {
  if (text.startsWith('file:')) return { file: text.slice('file:'.length) };
  if (text.startsWith('env:')) return { env: text.slice('env:'.length) };
  return text;
}

/** @returns a copy of `value` in which each reference to a secret, as marked in `schema`, is replaced by the secret */
export function resolveSecrets(value: unknown, schema: TSchema, path: string, sources: SecretSources): unknown {
  if (isSecret(schema)) return readSecret(value, path, sources, isLate(schema));
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  if (Array.isArray(value) && items) return value.map((item, index) => resolveSecrets(item, items, `${path}[${index}]`, sources));
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const child = properties[key];
      return [key, child ? resolveSecrets(member, child, `${path}.${key}`, sources) : member];
    }),
  );
}

/** Replaces a secret that could not be read, so that validation does not report it a second time. */
export const UNREAD = 'unread';

/** An empty secret, as of a deployment that could not read it, would count as none: the server would make a root key of its own. */
function readSecret(value: unknown, path: string, { base, env, used, files, problems }: SecretSources, isLater: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { file, env: name, ...rest } = value as { file?: unknown; env?: unknown };
  if (Object.keys(rest).length > 0 || (typeof file === 'string') === (typeof name === 'string') || file === '' || name === '') {
    problems.push(`${path}: ${SECRET_FORMS}`);
    return UNREAD;
  }
  if (typeof name === 'string') {
    used.add(name);
    const found = env[name];
    if (found) return found;
    problems.push(`${path}: the variable ${name} is ${found === undefined ? 'not set' : 'empty'}`);
    return UNREAD;
  }
  try {
    const absolute = resolve(base, file as string);
    files.set(path, absolute);
    const found = isLater ? secretFile(absolute) : readSecretFile(absolute);
    if (found !== '') return found;
    problems.push(`${path}: ${file} is empty`);
    return UNREAD;
  } catch (error) {
    problems.push(`${path}: ${file} ${whyUnread(error)}`);
    return UNREAD;
  }
}

/** @returns its text if it can be read only once, as a pipe @throws ErrnoException if it cannot be read */
function secretFile(path: string): SecretFile | string {
  accessSync(path, constants.R_OK);
  const found = statSync(path);
  return found.isFile() && found.size > 0 ? { file: path } : readSecretFile(path);
}
