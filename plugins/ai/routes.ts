// The routes of the AI runner, with what the OpenAPI document says of them.
import type { TSchema } from 'typebox';
import { CREDENTIAL_KINDS } from '../../kernel/http/caller/credential.ts';
import type { Request, Response, ResponseDescription, Route } from '../../kernel/http/route.ts';
import Type from '../../kernel/type.ts';
import { type Access, aiAuthenticators } from './access.ts';
import type { AiContext } from './actors.ts';
import { FORM_TYPES, type FormName, schemaOf } from './forms.ts';
import { listModels, MODELS } from './model-list.ts';
import { pageRoutes } from './page.ts';
import { ANSWER, addReference, BASES, deleteReference, listBases, ragPredict } from './references.ts';
import { contextPredict, RESULT, SUMMARY, summarize, TRANSLATION, translate } from './texts.ts';

type Handle = (ctx: AiContext, request: Request<Uint8Array | undefined>) => Promise<Response>;

interface FormRoute {
  readonly method: 'POST' | 'DELETE';
  readonly form: FormName;
  readonly summary: string;
  readonly answer: ResponseDescription;
  readonly handle: Handle;
}

const plain = (description: string): ResponseDescription => ({ description, schema: Type.String(), type: 'text/plain' });

/** As events for clients that accept them: see streamed.ts. */
const written = (description: string, schema: TSchema): ResponseDescription => ({ description, schema, types: ['application/json', 'text/event-stream'] });

const FORMS: readonly FormRoute[] = [
  { method: 'POST', form: 'summarize', summary: 'Summarise a text', answer: written('the summary', SUMMARY), handle: summarize },
  { method: 'POST', form: 'translate', summary: 'Translate a text', answer: written('the translation', TRANSLATION), handle: translate },
  {
    method: 'POST',
    form: 'context_predict',
    summary: 'Answer from a text',
    answer: written('answers, the best first', RESULT),
    handle: contextPredict,
  },
  {
    method: 'POST',
    form: 'rag_predict',
    summary: 'Answer from a documentary base',
    answer: written('answers, the best first', ANSWER),
    handle: ragPredict,
  },
  { method: 'POST', form: 'add_reference', summary: 'Add a document to a base, or replace it', answer: plain('the file was processed'), handle: addReference },
  { method: 'DELETE', form: 'delete_reference', summary: 'Delete a document from a base', answer: plain('the reference was removed'), handle: deleteReference },
];

const LISTS: readonly (Pick<Route, 'path' | 'summary' | 'responses'> & { readonly list: (ctx: AiContext, request: Request) => Promise<Response> })[] = [
  {
    path: '/documentary_bases',
    summary: 'List documentary bases and their references',
    responses: { 200: { description: 'the references of each base', schema: BASES } },
    list: listBases,
  },
  {
    path: '/models',
    summary: 'List the language models with their states',
    responses: { 200: { description: 'the configured models', schema: MODELS } },
    list: listModels,
  },
];

const TAG = 'AI runner';
/** Of a form beside its fields: names, boundaries, headers of parts. */
const FRAME_BYTES = 65_536;
/** Long ones of a form. */
const TEXTS = 2;
/** Bytes of one byte of a text in a form of kind `application/x-www-form-urlencoded` (URL Standard, section 5). */
const ESCAPE = 3;

export function aiRoutes(ctx: AiContext): readonly Route[] {
  const { enabled, open, text_limit: textBytes, file_limit: fileBytes } = ctx.config;
  if (!enabled) return [];
  const access: Access = { auth: open ? 'none' : CREDENTIAL_KINDS, authenticators: aiAuthenticators(ctx) };
  const lists = LISTS.map(({ list, ...route }): Route => ({ method: 'GET', ...access, tag: TAG, ...route, handle: (request) => list(ctx, request) }));
  const forms = FORMS.map(({ method, form, summary, answer, handle }): Route => {
    return {
      method,
      path: `/${form}`,
      ...access,
      ownPages: true,
      rawBody: true,
      body: schemaOf(form),
      bodyTypes: form === 'add_reference' ? FORM_TYPES.slice(0, 1) : FORM_TYPES,
      bodyLimit: (form === 'add_reference' ? fileBytes : TEXTS * ESCAPE * textBytes) + FRAME_BYTES,
      tag: TAG,
      summary,
      responses: {
        200: answer,
        400: { description: 'a field is missing, unknown or wrong, or the file cannot be read' },
        404: { description: 'there is no such base or reference' },
        422: { description: 'the work takes longer than the time limit' },
        429: { description: 'too many requests of yours wait for the model, or a quota of the base is used up' },
        503: { description: 'too busy, no model that can do this is installed, or the base is being read into memory or does not fit into it' },
      },
      handle: (request) => handle(ctx, request),
    };
  });
  return [...forms, ...lists, ...pageRoutes(access)];
}
