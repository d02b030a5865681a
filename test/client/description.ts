// Writes client/calls.ts from the OpenAPI description of a running server: run this file to write it again (`npm run client`).
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { startServer } from '../server.ts';

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Schema }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export const FILE = fileURLToPath(new URL('../../client/calls.ts', import.meta.url));

/** Pages for people, and the second names of routes for other programs: the client has no use for them. */
const LEFT_OUT = /^\/(v1\/auth|v1\/sys|interactive-docs|console|sign-in$|ai$|download|openapi\.yaml|metrics|$)/;

const HEAD = `// The calls of the public HTTP API with their types. Generated from the OpenAPI description by \`npm run client\`; do not edit.

export interface Calls {
`;

export async function written(): Promise<string> {
  const server = await startServer();
  try {
    const { text } = await server.ask('GET', '/openapi.yaml');
    const { parse } = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))('yaml') as { parse(text: string): { paths: Paths } };
    return callsOf(parse(text).paths);
  } finally {
    await server.end();
  }
}

function callsOf(paths: Paths): string {
  const calls = Object.entries(paths)
    .filter(([path]) => !LEFT_OUT.test(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, operations]) => Object.entries(operations).map(([method, operation]) => callOf(`${method.toUpperCase()} ${path}`, operation)));
  return `${HEAD}${calls.join('')}}\n`;
}

function callOf(name: string, operation: Operation): string {
  const members = [
    ...parametersOf('params', operation, 'path'),
    ...parametersOf('query', operation, 'query'),
    ...bodyOf('body', operation, 'application/json'),
    ...bodyOf('form', operation, 'multipart/form-data'),
    `answer: ${answerOf(operation)};`,
  ];
  return `  /** ${operation.summary ?? name} */\n  '${name}': {\n${members.map((line) => `    ${line}\n`).join('')}  };\n`;
}

function parametersOf(member: string, { parameters = [] }: Operation, place: string): string[] {
  const own = parameters.filter((each) => each.in === place);
  if (own.length === 0) return [];
  const isOptional = own.every(({ required }) => required !== true);
  const members = own.map(({ name, required, schema }) => `${keyOf(name)}${required ? '' : '?'}: ${typeOf(schema)}${required ? '' : ' | undefined'}`);
  return [`${member}${isOptional ? '?' : ''}: { ${members.join('; ')} };`];
}

function bodyOf(member: string, { requestBody }: Operation, type: string): string[] {
  const schema = requestBody?.content[type]?.schema;
  if (schema === undefined) return [];
  const written = type === 'application/json' ? typeOf(schema) : formOf(schema);
  return [`${member}${requestBody?.required === true ? '' : '?'}: ${written};`];
}

/** Of a form every member is text or a file. */
function formOf({ properties = {}, required = [] }: Schema): string {
  return `{ ${Object.keys(properties)
    .map((name) => `${keyOf(name)}${required.includes(name) ? '' : '?'}: string | Blob`)
    .join('; ')} }`;
}

function answerOf({ responses }: Operation): string {
  const [, good] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const content = Object.entries(good?.content ?? {});
  const [, json] = content.find(([type]) => type.startsWith('application/json')) ?? [];
  if (json) return typeOf(json.schema);
  return content.length > 0 ? 'string' : 'undefined';
}

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);
const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' | ');
  if (schema.type === 'array') return `readonly (${schema.items ? typeOf(schema.items) : 'unknown'})[]`;
  if (schema.type === 'object' || schema.properties) return objectOf(schema);
  return schema.type === undefined
    ? 'unknown'
    : ({ integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' }[schema.type] ?? 'unknown');
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    return `${keyOf(name)}${isRequired ? '' : '?'}: ${typeOf(schema)}${isRequired ? '' : ' | undefined'}`;
  });
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
}

if (import.meta.main) writeFileSync(FILE, await written());
