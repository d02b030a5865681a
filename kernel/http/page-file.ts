// Serves a file of a web page from memory, with headers that let the page load files from this server only.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Request, Response } from './route.ts';

/** Forbids inline code, foreign resources and frames. `form-action 'none'`: only scripts send forms. */
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

/** What all pages have in common, in front of the style sheet of each. */
const SHARED = new URL('page.css', import.meta.url);

/** @param type content type @returns the handler of a route for this file */
export function pageFile(file: URL, type: string): (request: Request) => Response {
  // A rule of the page's own sheet comes later, so it counts.
  const bytes = file.pathname.endsWith('.css') ? Buffer.concat([readFileSync(SHARED), readFileSync(file)]) : readFileSync(file);
  const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`;
  // The browser revalidates each time and gets 304 if nothing changed, so that it never mixes files of two versions.
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
    String(known ?? '').includes(etag) ? { status: 304, headers } : { status: 200, body: bytes, type, headers };
}
