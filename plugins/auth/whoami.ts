// GET /whoami: the claims of the session.
import { Fault } from '../../kernel/fault.ts';
import type { Caller } from '../../kernel/http/credential.ts';
import type { Request, Response } from '../../kernel/http/route.ts';

/** A `realm` that is not the session's own is no valid session there. */
export function whoami({ query, caller }: Request): Response {
  const { realm, claims } = caller as Caller;
  if (query['realm'] !== undefined && query['realm'] !== realm) throw new Fault('UNAUTHENTICATED');
  return { status: 200, body: claims };
}
