// Finds the members of a body that have no effect: those of Vault that restrict a role are among them, and must not seem to do so.
import type { TSchema } from 'typebox';

const MAX_NAMED = 16;
const MAX_NAME_CHARACTERS = 64;

/** @returns the names that the schema does not have, as a text; undefined without any that asks for something */
export function ignoredMembers(schema: TSchema, body: unknown): string | undefined {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, unknown>> };
  if (typeof body !== 'object' || body === null) return undefined;
  const ignored = Object.entries(body).flatMap(([name, value]) => (Object.hasOwn(properties, name) || isNothing(value) ? [] : [name]));
  if (ignored.length === 0) return undefined;
  const named = ignored.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME_CHARACTERS));
  return [...named, ...(ignored.length > MAX_NAMED ? [`${ignored.length - MAX_NAMED} more`] : [])].join(', ');
}

/** Some clients send every member of a role that they know, empty where it restricts nothing. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return [null, false, 0, '', '0', '0s'].includes(value as null);
}
