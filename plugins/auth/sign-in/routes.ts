// The sign-in page and its files: open, held in memory, and the only things that the page may load.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Type from 'typebox';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import { SIGN_IN_PATH } from '../../../kernel/http/to-sign-in.ts';

const FILES = [
  { path: SIGN_IN_PATH, file: 'sign-in.html', type: 'text/html; charset=utf-8', about: 'The page on which people sign in' },
  { path: `${SIGN_IN_PATH}/sign-in.css`, file: 'sign-in.css', type: 'text/css; charset=utf-8', about: 'The style sheet of the sign-in page' },
  { path: `${SIGN_IN_PATH}/sign-in.js`, file: 'sign-in.js', type: 'text/javascript; charset=utf-8', about: 'The program of the sign-in page' },
  { path: `${SIGN_IN_PATH}/icon.svg`, file: 'icon.svg', type: 'image/svg+xml', about: 'The icon of the sign-in page' },
] as const;

/** Nothing inline, nothing from elsewhere, in nobody's frame; the forms are sent by the program only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export function signInRoutes(): readonly Route[] {
  return FILES.map(({ path, file, type, about }) => ({
    method: 'GET',
    path,
    auth: 'none',
    tag: 'sign-in',
    summary: about,
    responses: { 200: { description: 'the file', type, schema: Type.String() }, 304: { description: 'the file has not changed' } },
    handle: fileHandler(file, type),
  }));
}

function fileHandler(file: string, type: string): (request: Request) => Response {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
  // Asked for anew each time and answered with 304: after an update no browser runs half of the old page.
  const headers = {
    'cache-control': 'no-cache',
    etag,
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
  return ({ headers: { 'if-none-match': known } }) =>
    String(known ?? '').includes(etag) ? { status: 304, headers } : { status: 200, body: text, type, headers };
}
