// What the holder of an app token does with it: /auth/token/lookup-self, renew-self, revoke-self.
import { Fault } from '../../../kernel/fault.ts';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { appTokenDigest, authAnswer } from './app-token.ts';

const HEADER = 'x-app-token';

export function tokenSelfRoutes(ctx: AuthContext): readonly Route[] {
  const { token } = ctx.actors;
  const own = (method: 'GET' | 'POST', action: string, handle: (value: string, digest: string, source: string) => Promise<Response>): Route => ({
    method,
    path: `/auth/token/${action}-self`,
    auth: 'none',
    anyContentType: true,
    handle: ({ headers, address }: Request) => {
      const value = headers[HEADER];
      const digest = appTokenDigest(value);
      // One request, one credential: the header that counts first decides, here too.
      if (digest === undefined || headers['authorization'] !== undefined) throw new Fault('AUTH_TOKEN_DENIED');
      return handle(value as string, digest, address);
    },
  });
  return [
    own('GET', 'lookup', async (id, digest) => {
      const { entity, policies, ttlSeconds, createdAt } = usable(await token.of(digest).look(digest));
      const data = { id, entity_id: entity, policies, renewable: true, ttl: ttlSeconds, creation_time: Math.floor(createdAt / 1000) };
      return { status: 200, body: { data } };
    }),
    own('POST', 'renew', async (value, digest, source) => authAnswer(value, usable(await token.of(digest).renew(digest, source)))),
    own('POST', 'revoke', async (_value, digest, source) => {
      usable((await token.of(digest).revoke(digest, source)) || null);
      return { status: 204 };
    }),
  ];
}

function usable<T>(found: T | null): T {
  if (found === null) throw new Fault('AUTH_TOKEN_DENIED');
  return found;
}
