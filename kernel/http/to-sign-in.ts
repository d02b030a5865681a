// Sends a browser that asks for a page without a valid session to the sign-in page, which brings it back.
import type { FastifyRequest } from 'fastify';
import { Fault } from '../fault.ts';

export const SIGN_IN_PATH = '/sign-in';

/** @returns where to go instead of an answer that a browser could only show as text; undefined where the refusal stands */
export function signInAddress(request: FastifyRequest, refusal: unknown): string | undefined {
  if (!(refusal instanceof Fault) || refusal.code !== 'UNAUTHENTICATED' || !wantsHtml(request.headers.accept)) return undefined;
  // A request may name another server in its target, or begin with two slashes: that is nowhere to come back to.
  return /^\/(?![/\\])/.test(request.url) ? `${SIGN_IN_PATH}?next=${encodeURIComponent(request.url)}` : SIGN_IN_PATH;
}

/** Only by name: what sends the wildcard alone is a program, and wants the status. */
function wantsHtml(accept = ''): boolean {
  return accept.split(',').some((range) => /^\s*text\/html\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range));
}
