// Parses bodies and query parameters, checks them against the schema of the route, and names every problem.
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type ValidateFunction } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { lostNumber } from '../../../text/lost-number.ts';
import { repeatedMember } from '../../../text/repeated-member.ts';
import { Fault } from '../../fault.ts';
import { isName } from '../parameters.ts';
import { hasLoneSurrogate } from './lone-surrogates.ts';
import { isTooDeep, MAX_DEPTH } from './nesting.ts';
import type { BodyDone } from './read-body.ts';

/** schema-problems.ts checks the schemas of external plugins, and a test those of the built-in ones: no start compiles the schema of schemas for them. */
const options = {
  useDefaults: true,
  removeAdditional: false,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  verbose: true,
  meta: false,
  validateSchema: false,
} as const;
const everyProblem = { ...options, allErrors: true } as const;
const bodies = compilers({ coerceTypes: false });
const queries = compilers({ coerceTypes: true });

interface Compilers {
  readonly first: Ajv;
  readonly all: Ajv;
}

function compilers(own: { readonly coerceTypes: boolean }): Compilers {
  return { first: new Ajv({ ...options, ...own }), all: new Ajv({ ...everyProblem, ...own }) };
}

/** `x-max-bytes` limits the size of a value as compact JSON, in bytes of UTF-8. Bodies are checked for depth before, so `JSON.stringify` cannot overflow the stack. */
const MAX_BYTES: FuncKeywordDefinition = {
  keyword: 'x-max-bytes',
  schemaType: 'number',
  errors: true,
  compile(maxBytes: number) {
    const check: DataValidateFunction = (value: unknown) => {
      if (Buffer.byteLength(JSON.stringify(value)) <= maxBytes) return true;
      check.errors = [{ message: `must not have more than ${maxBytes} bytes as compact JSON` }];
      return false;
    };
    return check;
  },
};
for (const ajv of [bodies.first, bodies.all, queries.first, queries.all]) ajv.addKeyword(MAX_BYTES).addFormat('name', isName).addVocabulary(['x-document']);

/** In larger bodies (characters of JSON) only the first problem is reported: finding all of them could be made expensive on purpose. */
const THOROUGH = 16_384;
const MAX_ERRORS = 20;
/** For these keywords the description of the schema is easier to understand than the message of Ajv. */
const IN_RULE: ReadonlySet<string> = new Set(['pattern', 'not', 'format']);
/** A refusal repeats at most this many characters of the name of an unknown member. */
const MAX_NAME = 128;

export type Check = (value: unknown) => void;

/**
 * Compiled once for each schema, when it is first used: most servers use few of them.
 * @returns a check that throws Fault BAD_REQUEST with every problem. It coerces no values and refuses unknown members.
 */
export function bodyCheck(schema: TSchema): Check {
  return checkBy(bodies, schema, 'body');
}

const DECIMAL = /^-?[0-9]+$/;

/** Query parameters arrive as text; the check converts them in place to the types of their schema. The conversion alone would also take `0x10` and `1e2`. */
export function queryCheck(schema: TSchema): Check {
  const check = checkBy(queries, schema, 'query');
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { readonly type?: unknown }>> };
  const integers = Object.keys(properties).filter((name) => properties[name]?.type === 'integer');
  return (value) => {
    for (const name of integers) {
      const given = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof given === 'string' && !DECIMAL.test(given)) throw new Fault('BAD_REQUEST', { detail: `query/${name}: must be integer` });
    }
    check(value);
  };
}

function checkBy({ first, all }: Compilers, schema: TSchema, where: string): Check {
  let check: ValidateFunction | undefined;
  // Compiling takes a millisecond or two, and most routes never refuse a body.
  let thorough: ValidateFunction | undefined;
  return (value) => {
    check ??= first.compile(schema);
    if (check(value)) return;
    thorough ??= all.compile(schema);
    const errors = nearestFirst(problems(check, thorough, value)).map((error) => inWords(error, where));
    throw new Fault('BAD_REQUEST', { detail: errors[0], errors: [...new Set(errors)] });
  };
}

function problems(check: ValidateFunction, thorough: ValidateFunction, value: unknown): readonly ErrorObject[] {
  const found = check.errors ?? [];
  if ((JSON.stringify(value) ?? '').length > THOROUGH) return found;
  thorough(value);
  return (thorough.errors ?? found).slice(0, MAX_ERRORS);
}

/** Of several forms that a value may have, the client meant the one whose members it sent: what other forms would have comes later. */
function nearestFirst(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors.toSorted((one, other) => distance(one) - distance(other));
}

/** What a value of another form lacks, or has besides. */
const OF_ANOTHER_FORM: ReadonlySet<string> = new Set(['type', 'required', 'additionalProperties']);

function distance({ schemaPath, keyword, params }: ErrorObject): number {
  if (keyword === 'anyOf' || (keyword === 'type' && params['type'] === 'null')) return 2;
  return schemaPath.includes('/anyOf/') && OF_ANOTHER_FORM.has(keyword) ? 1 : 0;
}

function inWords({ instancePath, keyword, params, message, parentSchema }: ErrorObject, where: string): string {
  const path = `${where}${instancePath}`;
  if (keyword === 'additionalProperties') return `${path}/${shorten(String(params['additionalProperty']))}: unknown member`;
  if (keyword === 'required') return `${path}/${params['missingProperty']}: is missing`;
  if (keyword === 'enum') return `${path}: must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
  const rule = IN_RULE.has(keyword) ? (parentSchema as { readonly description?: string }).description : undefined;
  return `${path}: ${rule === undefined ? message : `must be ${rule}`}`;
}

/** The client chose the name, so it may be very long. */
function shorten(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the bytes of the body of a request. */
export type ReadBytes = (request: FastifyRequest, done: BodyDone) => void;

/** Accepts JSON only. An empty body counts as an absent one. */
export function addJsonParser(app: FastifyInstance, read: ReadBytes): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest, _payload, done) =>
    read(request, (fault, bytes) => {
      if (fault) return done(fault);
      let value: unknown;
      try {
        value = parse(bytes);
      } catch (refusal) {
        return done(refusal as Fault);
      }
      done(null, value);
    }),
  );
}

/** @throws Fault BAD_REQUEST */
function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (isTooDeep(bytes)) throw new Fault('BAD_REQUEST', { detail: `the body is nested too deeply; at most ${MAX_DEPTH} levels are allowed` });
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw new Fault('BAD_REQUEST', { detail: 'the body is not valid JSON' });
  }
  if (hasLoneSurrogate(text, value)) throw new Fault('BAD_REQUEST', { detail: 'the body has half of a surrogate pair, which is not valid Unicode' });
  const repeated = repeatedMember(bytes, value);
  if (repeated !== undefined) {
    const problem = `body${repeated}: stands twice in its object`;
    throw new Fault('BAD_REQUEST', { detail: problem, errors: [problem] });
  }
  const lost = lostNumber(bytes);
  if (lost !== undefined) throw new Fault('BAD_REQUEST', { detail: `body${lost}: the number cannot be kept as it is; write it as a text` });
  return value;
}

/** Fastify remembers what it found for a type with a parser of its own; for any other it parses the type in each request. */
const USUAL_TYPES = ['application/json', 'application/octet-stream'];

/** Passes on the bytes as they were sent, whatever the content type. */
export function addRawParser(app: FastifyInstance, read: ReadBytes): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...USUAL_TYPES, '*'], (request: FastifyRequest, _payload, done) => read(request, done));
}
