// Serves a file of a web page from memory, compressed for browsers, with headers that let the page load files from this server only.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Request, Response } from '../route.ts';
import { isKnown } from './is-known.ts';

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
  // Text becomes markup in templates of the one library only, whose texts are those of its modules.
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

/** What all pages have in common, in front of the style sheet of each. */
const SHARED = new URL('page.css', import.meta.url);

/** @param type content type @param isFurther whether it is loaded beside the style sheet of its page, which has the shared one @returns the handler of a route for this file */
export function pageFile(file: URL, type: string, isFurther = false): (request: Request) => Response {
  // A rule of the page's own sheet comes later, so it counts.
  const bytes = file.pathname.endsWith('.css') && !isFurther ? Buffer.concat([readFileSync(SHARED), readFileSync(file)]) : readFileSync(file);
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
  const compressed = { ...headers, 'content-encoding': 'br', etag: `${etag.slice(0, -1)}-br"`, vary: 'accept-encoding' };
  const plain = { ...headers, vary: 'accept-encoding' };
  let small: Uint8Array | undefined;
  return ({ headers: { 'if-none-match': known, 'accept-encoding': accepted } }) => {
    const isSmall = /(^|[\s,])br\s*($|,)/.test(String(accepted ?? ''));
    const sent = isSmall ? compressed : plain;
    if (isKnown(known, sent.etag)) return { status: 304, headers: sent };
    // Nothing in these files is secret, so their compressed lengths tell nothing. The first request compresses, so that the start need not.
    if (isSmall) small ??= brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    return { status: 200, body: isSmall ? small : bytes, type, headers: sent };
  };
}
