// The checks of a route's body and query, and their compiling ahead of time.
import { setImmediate } from 'node:timers/promises';
import { bodyCheck, type Check, queryCheck } from './body.ts';
import type { Route } from './route.ts';

interface Checks {
  readonly checkBody: Check | undefined;
  readonly checkQuery: Check | undefined;
}

export function checksOf({ body, rawBody, query }: Route): Checks {
  // The schema of a raw body is for the document only.
  return { checkBody: body && !rawBody ? bodyCheck(body) : undefined, checkQuery: query && queryCheck(query) };
}

/** Compiles the checks of all routes while the threads of the actors start, whose questions are answered in between. */
export async function compileChecks(routes: readonly Route[]): Promise<void> {
  for (const route of routes) {
    await setImmediate();
    checksOf(route);
  }
}
