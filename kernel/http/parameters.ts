// The parameters of a path: each has a rule, and what breaks it leads nowhere.
import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { Fault } from '../fault.ts';
import { normalName } from '../normal-form.ts';
import type { Route } from './route.ts';

/** Characters of a parameter without a schema of its own. */
const MAX_PARAMETER = 1_024;
export const MAX_COMPOSED = 255;
const LONG = ' '.repeat(MAX_COMPOSED + 1);
const ANY = { type: 'string', minLength: 1, maxLength: MAX_PARAMETER } as const;
const ajv = new Ajv({ strict: true, strictRequired: false });
/** A name of 255 characters at most when it is composed (NFC), however it is sent. */
ajv.addFormat('name', isName);

export function isName(text: string): boolean {
  return [...(normalName(text) ?? LONG)].length <= MAX_COMPOSED;
}

/** @returns the schema of each parameter that the path names; undefined where it names none */
export function parametersOf({ path, params }: Pick<Route, 'path' | 'params'>): TSchema | undefined {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] as string);
  if (names.length === 0) return undefined;
  const own = (params as { properties?: Record<string, object> } | undefined)?.properties ?? {};
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, own[name] ?? ANY])), required: names };
}

/** @returns a check that throws Fault NOT_FOUND */
export function parametersCheck(route: Pick<Route, 'path' | 'params'>): (params: unknown) => void {
  const schema = parametersOf(route);
  if (!schema) return () => {};
  const check = ajv.compile(schema);
  return (params) => {
    if (!check(params)) throw new Fault('NOT_FOUND');
  };
}
