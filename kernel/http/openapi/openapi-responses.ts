// Describes the responses of a route for the OpenAPI document: those it declares, and the errors that follow from its declaration.
import type { TSchema } from 'typebox';
import { EVENTS } from '../answer/live-views.ts';
import type { ErrorForm, ResponseDescription } from '../route.ts';
import type { Described } from './openapi.ts';
import { isJson, isText } from './openapi-document.ts';

/** Errors that any request can end with. */
const ALWAYS: Readonly<Record<number, string>> = {
  400: 'the request is malformed',
  408: 'the request did not arrive in time',
  417: 'the only expectation that is known is 100-continue',
  431: 'the header fields are too large',
  500: 'internal error',
  503: 'the server is too busy or stopping, or a part of it is down; try again later',
  504: 'there was no answer in time; the outcome is unknown',
};

/** In the form of Fastify's generator, for which a body of type null means no body. */
export function responsesOf(route: Described): Readonly<Record<string, object>> {
  const described: Record<string, ResponseDescription> = {
    ...(route.page ? { 303: { description: 'a browser without a session is redirected to the sign-in page' } } : {}),
    ...Object.fromEntries(refusalsOf(route).map(([status, description]) => [status, { description }])),
    ...(route.responses ?? { 200: { description: 'success' } }),
  };
  const { form } = route;
  return Object.fromEntries(
    Object.entries(described).map(([status, response]) =>
      form && Number(status) >= 400
        ? applyErrorForm(form, status, response)
        : [status, writeResponse(route.live && status === '200' ? withEvents(response) : response)],
    ),
  );
}

function refusalsOf({ method, path, auth, ownPages, admit }: Described): [number | string, string][] {
  return [
    ...Object.entries(ALWAYS),
    ...(ownPages && auth === 'none' ? ([[403, 'a page of another origin asks']] as [number, string][]) : []),
    ...(auth === 'none'
      ? []
      : ([
          [401, 'authentication is required'],
          [403, 'not allowed'],
        ] as [number, string][])),
    ...(path.includes('{') ? ([[404, 'not found']] as [number, string][]) : []),
    // The body of a GET request is not read.
    ...(method === 'GET'
      ? []
      : ([
          [413, 'the body is too large'],
          [415, 'the body is encoded, gzip for example'],
        ] as [number, string][])),
    ...(admit ? ([[429, 'too many attempts from this address']] as [number, string][]) : []),
  ];
}

function withEvents({ type = 'application/json', ...response }: ResponseDescription): ResponseDescription {
  return { ...response, types: [type, EVENTS] };
}

/** A response in the error form of the route. Two responses may end up with the same status. */
function applyErrorForm({ status, schema }: ErrorForm, usual: string, response: ResponseDescription): [number, object] {
  return [status(Number(usual)), writeResponse({ schema, ...response })];
}

function writeResponse({ description, schema, type = 'application/json', types = [type] }: ResponseDescription): object {
  if (!schema) return { description, type: 'null' };
  return { description, content: Object.fromEntries(types.map((each) => [each, contentOf(each, schema, types.length === 1)])) };
}

/** The schema describes JSON, or the only content type. Among several types, text is a string and bytes have no schema. */
function contentOf(type: string, schema: TSchema, isOnly: boolean): { schema: object } {
  if (isOnly || isJson(type)) return { schema };
  return { schema: isText(type) ? { type: 'string' } : {} };
}
