// Redirects a browser without a valid session to the sign-in page, which leads back to the requested page.
import type { FastifyRequest } from 'fastify';
import { Fault } from '../../fault.ts';
import { SESSION_COOKIE } from './authenticate.ts';
import { cookieIn } from './cookie.ts';

export const SIGN_IN_PATH = '/sign-in';

/** A link on another server of the same domain comes with the cookie and is forbidden, one from elsewhere comes without: both lead on from the sign-in page. */
const LEADING: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN']);

/** @returns the address to redirect a browser to; undefined if the client gets the error itself */
export function signInAddress(request: FastifyRequest, refusal: unknown): string | undefined {
  if (!(refusal instanceof Fault) || !LEADING.has(refusal.code) || !wantsHtml(request.headers.accept)) return undefined;
  // A target that names another server or begins with two slashes would lead away from this server.
  if (!/^\/(?![/\\])/.test(request.url)) return SIGN_IN_PATH;
  // The page says why it is there.
  const isEnded = refusal.code === 'UNAUTHENTICATED' && typeof cookieIn(request.headers.cookie, SESSION_COOKIE) === 'string';
  return `${SIGN_IN_PATH}?next=${encodeURIComponent(request.url)}${isEnded ? '&ended=yes' : ''}`;
}

/** Accept must name text/html: a client that sends only a wildcard is a program and needs the status. */
export function wantsHtml(accept = ''): boolean {
  return accept.split(',').some((range) => /^\s*text\/html\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range));
}
