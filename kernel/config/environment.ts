// Reads the configuration from environment variables: GATEHOUSE_HTTP_PORT sets `[http] port`.
import type { TSchema } from 'typebox';
import { isSecret, type Leaf, leavesOf } from './schema.ts';
import { parseReference } from './secret.ts';

const PREFIX = 'GATEHOUSE_';

/** Our variables that are not keys of the configuration: read by the launcher, the tests, the benches and the first start. */
const OTHERS = /^GATEHOUSE_(ADMIN_PASSWORD|COLLECTION|CONFIG|DATA_DIR|MODELS|PROFILE_DIR|TEST_.*)$/;

interface EnvironmentReading {
  /** Values by path; they override the file. */
  readonly values: readonly { readonly path: readonly string[]; readonly value: unknown; readonly name: string }[];
  readonly problems: readonly string[];
  /** Variables with our prefix that do not match any key. */
  readonly unknown: readonly string[];
}

export function readEnvironment(env: NodeJS.ProcessEnv, sections: Readonly<Record<string, TSchema>>): EnvironmentReading {
  const leaves = new Map<string, Leaf>();
  for (const [name, schema] of Object.entries(sections)) for (const leaf of leavesOf(schema, [name])) leaves.set(variableOf(leaf.path), leaf);
  const values: { path: readonly string[]; value: unknown; name: string }[] = [];
  const problems: string[] = [];
  const unknown: string[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || text === undefined || OTHERS.test(name)) continue;
    const leaf = leaves.get(name);
    if (!leaf) unknown.push(name);
    else
      try {
        values.push({ path: leaf.path, value: parseText(text, leaf.schema), name });
      } catch (error) {
        problems.push(`${name}: ${(error as Error).message}`);
      }
  }
  return { values, problems, unknown };
}

function variableOf(path: readonly string[]): string {
  return PREFIX + path.join('_').toUpperCase();
}

/** Converts a text to the type of its key. Items of lists are separated by commas. */
function parseText(text: string, schema: TSchema): unknown {
  if (isSecret(schema)) {
    // It would count as none and hide the secret in the file, as where a variable of a deployment is not set.
    if (text === '') throw new Error('is empty; give the secret, or remove the variable');
    return parseReference(text);
  }
  const { type } = schema as { type?: string };
  if (type === 'array') return text === '' ? [] : text.split(',').map((item) => item.trim());
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
    return text === 'true';
  }
  if (type === 'integer' || type === 'number') {
    if (text.trim() === '' || !Number.isFinite(Number(text))) throw new Error('must be a number');
    return Number(text);
  }
  return text;
}
