// Finds what is wrong with the schemas of a route before a request does: the checks compile them when they are first used.
import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { Fault } from '../../fault.ts';
import { parametersCheck, parametersOf } from '../parameters.ts';
import type { Route } from '../route.ts';
import { checksOf } from './checks.ts';

/** Compiles the schema of schemas, which costs more than most schemas of routes. */
let meta: Ajv | undefined;

/** @returns for each schema that is not valid or cannot be compiled, which it is and why */
export function schemaProblems(route: Route): string[] {
  const { checkBody, checkQuery } = checksOf(route);
  return [
    ...problems('body', route.body, checkBody),
    ...problems('query', route.query, checkQuery),
    ...problems('path', parametersOf(route), parametersCheck(route)),
  ];
}

function problems(part: string, schema: TSchema | undefined, check: ((value: unknown) => void) | undefined): string[] {
  if (!schema) return [];
  const because = (reason: string) => [`the schema of its ${part} is invalid: ${reason}`];
  meta ??= new Ajv({ strict: false });
  if (!meta.validateSchema(schema)) return because(meta.errorsText(meta.errors));
  try {
    check?.({});
  } catch (error) {
    // A refusal of the value says that the schema was compiled.
    if (!(error instanceof Fault)) return because((error as Error).message);
  }
  return [];
}
