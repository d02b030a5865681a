// Verifies JWTs of other issuers; the one place that fetches their keys, so that no login can make it ask twice.
import { defineActor } from '../../kernel/actor.ts';
import type { IdentityApi } from './api.ts';
import { createFetcher } from './fetch.ts';
import { KeySets } from './jwks.ts';
import { verifyJwt } from './verify.ts';

export interface IdentityArgs {
  /** PEM file of authorities that key set servers may be certified by, beside the public ones; empty for none. */
  readonly caFile: string;
}

export default defineActor<IdentityApi, IdentityArgs>(({ caFile }, ctx) => {
  const fetcher = createFetcher(ctx.clock, caFile);
  const keySets = new KeySets(ctx.clock, fetcher);
  return { api: { verifyJwt: (request) => verifyJwt(request, keySets, ctx.clock.now()) }, stop: () => fetcher.close() };
});
