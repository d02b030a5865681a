// The routes of the page /interactive-docs: the page, its files and its data. They are open to authenticated callers only.
import { isKnown } from '../../kernel/http/answer/is-known.ts';
import { pageFile } from '../../kernel/http/answer/page-file.ts';
import { CREDENTIAL_KINDS, requireCaller } from '../../kernel/http/caller/credential.ts';
import { wantsHtml } from '../../kernel/http/caller/to-sign-in.ts';
import type { Route } from '../../kernel/http/route.ts';
import type { Actors, PluginContext } from '../../kernel/plugin.ts';
import Type from '../../kernel/type.ts';

const PAGE = '/interactive-docs';
const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;
/** The modules of the page, which the browser loads one by one, and the style sheet. */
const FILES = ['answer.js', 'element.js', 'interactive-docs.css', 'interactive-docs.js', 'operation.js', 'request.js', 'schema.js', 'try-it.js'] as const;

const CALLER = Type.Object({
  realm: Type.String(),
  username: Type.String(),
  session_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], { description: 'null if the caller uses another credential' }),
});

const common = { method: 'GET', auth: CREDENTIAL_KINDS, tag: 'Documentation' } as const;

export function pageRoutes({ front }: Pick<PluginContext<object, Actors>, 'front'>): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      auth: 'none',
      tag: 'Documentation',
      summary: 'Redirect a browser to the console, and everybody else to the interactive page',
      responses: { 303: { description: 'Location holds the address of the page' } },
      handle: ({ headers: { accept } }) => ({ status: 303, headers: { location: wantsHtml(String(accept ?? '')) ? '/console' : PAGE, vary: 'accept' } }),
    },
    fileRoute(PAGE, 'interactive-docs.html', 'text/html; charset=utf-8', { summary: 'The interactive page of all endpoints', page: true }),
    ...FILES.map((file) => fileRoute(`${PAGE}/${file}`, file, TYPES[file.endsWith('.css') ? 'css' : 'js'], { asset: true })),
    {
      ...common,
      path: `${PAGE}/openapi.json`,
      summary: 'The OpenAPI document as JSON',
      responses: { 200: { description: 'OpenAPI 3.1', schema: Type.Object({}) }, 304: { description: 'the document has not changed' } },
      handle({ headers: { 'if-none-match': known } }) {
        const { bytes, etag } = front.openapi('json');
        const headers = { 'cache-control': 'no-cache', etag };
        return isKnown(known, etag) ? { status: 304, headers } : { status: 200, body: bytes, type: 'application/json; charset=utf-8', headers };
      },
    },
    {
      ...common,
      path: `${PAGE}/session`,
      summary: 'Get the user of the interactive page, and the session that its sign-out ends',
      responses: { 200: { description: 'the caller', schema: CALLER } },
      handle(request) {
        const { realm, username, sessionId } = requireCaller(request);
        return { status: 200, body: { realm, username, session_id: sessionId ?? null } };
      },
    },
  ];
}

function fileRoute(path: string, file: string, type: string, more: Pick<Route, 'summary' | 'page' | 'asset'>): Route {
  return {
    ...common,
    ...more,
    path,
    responses: { 200: { description: 'the file', type, schema: Type.String() }, 304: { description: 'the file has not changed' } },
    handle: pageFile(new URL(`page/${file}`, import.meta.url), type),
  };
}
