// The answers of a route as the OpenAPI document tells them: its own, and the refusals that follow from what it declares.
import type { TSchema } from 'typebox';
import type { Described } from './openapi.ts';
import { isJson, isText } from './openapi-document.ts';
import type { ErrorForm, ResponseDescription } from './route.ts';

/** Any request may end so, whatever it asks for. */
const ALWAYS: Readonly<Record<number, string>> = {
  400: 'the request is malformed',
  408: 'the request did not arrive in time',
  431: 'the header fields are too large',
  500: 'internal error',
  503: 'too busy, stopping, or a part of the server is down: try again',
  504: 'no answer in time, the outcome is unknown',
};

/** For Fastify's writer, which takes a body of type null for none. */
export function responsesOf(route: Described): Readonly<Record<string, object>> {
  const described: Record<string, ResponseDescription> = {
    ...(route.page ? { 303: { description: 'a browser without a session is redirected to the sign-in page' } } : {}),
    ...Object.fromEntries(refusalsOf(route).map(([status, description]) => [status, { description }])),
    ...(route.responses ?? { 200: { description: 'success' } }),
  };
  const { form } = route;
  return Object.fromEntries(
    Object.entries(described).map(([status, response]) => (form && Number(status) >= 400 ? formed(form, status, response) : [status, written(response)])),
  );
}

function refusalsOf({ method, path, auth, admit }: Described): [number | string, string][] {
  return [
    ...Object.entries(ALWAYS),
    ...(auth === 'none'
      ? []
      : ([
          [401, 'authentication is required'],
          [403, 'not allowed'],
        ] as [number, string][])),
    ...(path.includes('{') ? ([[404, 'not found']] as [number, string][]) : []),
    // A body that comes with GET is not read.
    ...(method === 'GET' ? [] : ([[413, 'the body is too large']] as [number, string][])),
    ...(admit ? ([[429, 'too many attempts from this address']] as [number, string][]) : []),
  ];
}

/** In the form that the clients of the route expect, where two may have the same status. */
function formed({ status, schema }: ErrorForm, usual: string, response: ResponseDescription): [number, object] {
  return [status(Number(usual)), written({ schema, ...response })];
}

function written({ description, schema, type = 'application/json', types = [type] }: ResponseDescription): object {
  if (!schema) return { description, type: 'null' };
  return { description, content: Object.fromEntries(types.map((each) => [each, contentOf(each, schema, types.length === 1)])) };
}

/** The schema is of JSON, or of the one type there is; of several, text is a string and bytes have none. */
function contentOf(type: string, schema: TSchema, isOnly: boolean): { schema: object } {
  if (isOnly || isJson(type)) return { schema };
  return { schema: isText(type) ? { type: 'string' } : {} };
}
