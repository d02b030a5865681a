// A file of a page for people: held in memory, asked for anew each time, and under a policy that lets the page load nothing but such files.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Request, Response } from './route.ts';

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

/** @returns the handler of a route for this file; `type` is its content type */
export function pageFile(file: URL, type: string): (request: Request) => Response {
  const bytes = readFileSync(file);
  const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`;
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
    String(known ?? '').includes(etag) ? { status: 304, headers } : { status: 200, body: bytes, type, headers };
}
