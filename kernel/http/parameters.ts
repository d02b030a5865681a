// Checks the parameters of a path. A path with an invalid parameter is answered with 404.
import { Ajv, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { Fault } from '../fault.ts';
import { normalName } from '../normal-form.ts';
import type { Route } from './route.ts';

/** Characters that a parameter without its own schema may have. */
const MAX_PARAMETER = 1_024;
export const MAX_COMPOSED = 255;
const LONG = ' '.repeat(MAX_COMPOSED + 1);
const ANY = { type: 'string', minLength: 1, maxLength: MAX_PARAMETER } as const;
/** The schemas are checked as those of bodies are. */
const ajv = new Ajv({ strict: true, strictRequired: false, meta: false, validateSchema: false });
/** A name has at most 255 characters in composed form (NFC), in whatever form it is sent. */
ajv.addFormat('name', isName);
/** By the schema as text: many routes have the same parameters, and compiling takes a millisecond. */
const compiled = new Map<string, ValidateFunction>();

export function isName(text: string): boolean {
  return [...(normalName(text) ?? LONG)].length <= MAX_COMPOSED;
}

/** @returns an object schema of the parameters in the path; undefined if there are none */
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
  let check: ValidateFunction | undefined;
  return (params) => {
    check ??= compile(schema);
    if (!check(params)) throw new Fault('NOT_FOUND');
  };
}

function compile(schema: TSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const check = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, check);
  return check;
}
