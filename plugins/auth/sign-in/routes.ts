// The routes of the sign-in page: the page, its files, and the session of the browser. They need no authentication.
import { pageFile } from '../../../kernel/http/answer/page-file.ts';
import { SIGN_IN_PATH } from '../../../kernel/http/caller/to-sign-in.ts';
import type { Route } from '../../../kernel/http/route.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { sessionAuthenticator } from '../session-cookie.ts';

const FILES = [
  { path: `${SIGN_IN_PATH}/sign-in.css`, file: 'sign-in.css', type: 'text/css; charset=utf-8' },
  { path: `${SIGN_IN_PATH}/sign-in.js`, file: 'sign-in.js', type: 'text/javascript; charset=utf-8' },
  { path: `${SIGN_IN_PATH}/icon.svg`, file: 'icon.svg', type: 'image/svg+xml' },
] as const;

const SESSION = Type.Union([Type.Object({ realm: Type.String(), username: Type.String(), session_id: Type.String({ format: 'uuid' }) }), Type.Null()]);

const common = { method: 'GET', auth: 'none', tag: 'Sign-in' } as const;

export function signInRoutes(ctx: AuthContext): readonly Route[] {
  return [
    {
      ...common,
      path: SIGN_IN_PATH,
      summary: 'Get the page for signing in and out',
      responses: {
        200: { description: 'the page', type: 'text/html; charset=utf-8', schema: Type.String() },
        304: { description: 'the page has not changed' },
      },
      handle: fileHandler('sign-in.html', 'text/html; charset=utf-8'),
    },
    ...FILES.map(({ path, file, type }): Route => ({ ...common, path, asset: true, handle: fileHandler(file, type) })),
    sessionRoute(ctx),
  ];
}

function fileHandler(file: string, type: string): Route['handle'] {
  return pageFile(new URL(file, import.meta.url), type);
}

/** Needs no authentication, because the page asks it whether anybody is signed in. It names the user of the cookie that the request carries, and no other. */
function sessionRoute(ctx: AuthContext): Route {
  const authenticate = sessionAuthenticator(ctx);
  return {
    ...common,
    path: `${SIGN_IN_PATH}/session`,
    summary: 'Get the session of the browser; null if there is none',
    security: ['none', 'session'],
    responses: { 200: { description: 'the session and its user', schema: SESSION } },
    async handle({ cookie, address }) {
      const caller = cookie === undefined ? undefined : await authenticate({ value: cookie, address });
      return { status: 200, body: caller ? { realm: caller.realm, username: caller.username, session_id: caller.sessionId } : null };
    },
  };
}
