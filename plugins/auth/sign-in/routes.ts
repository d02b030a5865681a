// The sign-in page and its files: open, and the only things that the page may load.
import Type from 'typebox';
import { pageFile } from '../../../kernel/http/page-file.ts';
import type { Route } from '../../../kernel/http/route.ts';
import { SIGN_IN_PATH } from '../../../kernel/http/to-sign-in.ts';

const FILES = [
  { path: SIGN_IN_PATH, file: 'sign-in.html', type: 'text/html; charset=utf-8', about: 'The page on which people sign in' },
  { path: `${SIGN_IN_PATH}/sign-in.css`, file: 'sign-in.css', type: 'text/css; charset=utf-8', about: 'The style sheet of the sign-in page' },
  { path: `${SIGN_IN_PATH}/sign-in.js`, file: 'sign-in.js', type: 'text/javascript; charset=utf-8', about: 'The program of the sign-in page' },
  { path: `${SIGN_IN_PATH}/icon.svg`, file: 'icon.svg', type: 'image/svg+xml', about: 'The icon of the sign-in page' },
] as const;

export function signInRoutes(): readonly Route[] {
  return FILES.map(({ path, file, type, about }) => ({
    method: 'GET',
    path,
    auth: 'none',
    tag: 'Sign-in',
    summary: about,
    responses: { 200: { description: 'the file', type, schema: Type.String() }, 304: { description: 'the file has not changed' } },
    handle: pageFile(new URL(file, import.meta.url), type),
  }));
}
