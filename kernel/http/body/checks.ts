// The checks of a route's body and query.
import type { Route } from '../route.ts';
import { bodyCheck, type Check, queryCheck } from './body.ts';

interface Checks {
  readonly checkBody: Check | undefined;
  readonly checkQuery: Check | undefined;
}

export function checksOf({ body, rawBody, query }: Route): Checks {
  // The schema of a raw body is for the document only.
  return { checkBody: body && !rawBody ? bodyCheck(body) : undefined, checkQuery: query && queryCheck(query) };
}
