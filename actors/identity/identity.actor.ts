// Verifies JWTs of other issuers. Only this actor fetches their keys, so that many logins cause a single fetch.
import { defineActor } from '../../kernel/actor.ts';
import type { IdentityApi } from './api.ts';
import { createFetcher } from './fetch.ts';
import { KeySets } from './jwks.ts';
import { verifyJwt } from './verify.ts';

export interface IdentityArgs {
  /** PEM file of certificate authorities that are trusted for key set servers in addition to the public ones; empty for none. */
  readonly caFile: string;
}

export default defineActor<IdentityApi, IdentityArgs>(({ caFile }, ctx) => {
  const fetcher = createFetcher(ctx.clock, caFile);
  const keySets = new KeySets(ctx.clock, fetcher);
  return { api: { verifyJwt: (request) => verifyJwt(request, keySets, ctx.clock.now()) }, stop: () => fetcher.close() };
});
