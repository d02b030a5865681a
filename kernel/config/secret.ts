// Reads secrets from where the configuration says they are.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TSchema } from 'typebox';
import { isSecret } from './schema.ts';

interface SecretSources {
  /** Folder that relative paths start from. */
  readonly base: string;
  readonly env: NodeJS.ProcessEnv;
  /** Names of variables that held a secret; they are deleted once everything is read. */
  readonly used: Set<string>;
  readonly problems: string[];
}

/** `file:PATH` and `env:NAME`, as flags and variables write a reference. */
export function parseReference(text: string): string | { file: string } | { env: string } {
  if (text.startsWith('file:')) return { file: text.slice('file:'.length) };
  if (text.startsWith('env:')) return { env: text.slice('env:'.length) };
  return text;
}

/** A copy of `value` in which every reference at a place that `schema` marks as secret is replaced by the secret. */
export function resolveSecrets(value: unknown, schema: TSchema, path: string, sources: SecretSources): unknown {
  if (isSecret(schema)) return readSecret(value, path, sources);
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  if (Array.isArray(value) && items) return value.map((item, index) => resolveSecrets(item, items, `${path}[${index}]`, sources));
  if (!properties || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const child = properties[key];
      return [key, child ? resolveSecrets(member, child, `${path}.${key}`, sources) : member];
    }),
  );
}

/** Stands in for a secret that could not be read, so that its absence is told once. */
const UNREAD = 'unread';

function readSecret(value: unknown, path: string, { base, env, used, problems }: SecretSources): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { file, env: name, ...rest } = value as { file?: unknown; env?: unknown };
  if (Object.keys(rest).length > 0 || (typeof file === 'string') === (typeof name === 'string')) {
    problems.push(`${path}: a secret is a text, { file = "PATH" } or { env = "NAME" }`);
    return UNREAD;
  }
  if (typeof name === 'string') {
    used.add(name);
    const found = env[name];
    if (found === undefined) problems.push(`${path}: the variable ${name} is not set`);
    return found ?? UNREAD;
  }
  try {
    // A final line break is the editor's, not the secret's.
    return readFileSync(resolve(base, file as string), 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    problems.push(`${path}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return UNREAD;
  }
}
