// What the holder of an app token does with it: /auth/token/lookup-self, renew-self, revoke-self.
import { Fault } from '../../../kernel/fault.ts';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { appTokenDigest, authAnswer } from './app-token.ts';

const HEADER = 'x-app-token';
const MAX_UNUSED_BYTES = 1_048_576;

export function tokenSelfRoutes(ctx: AuthContext): readonly Route[] {
  const { token } = ctx.actors;
  const own = (method: 'GET' | 'POST', action: string, handle: (value: string, digest: string, source: string) => Promise<Response>): Route => ({
    method,
    path: `/auth/token/${action}-self`,
    auth: 'none',
    // Clients send bodies that mean nothing here, and often are none: nobody reads them.
    rawBody: true,
    bodyLimit: MAX_UNUSED_BYTES,
    async admit(_address, headers) {
      const { digest } = shownIn(headers);
      // Without a body there is nothing to keep from being read.
      if (method === 'POST') usable(await token.of(digest).look(digest));
    },
    handle: ({ headers, address }: Request) => {
      const { value, digest } = shownIn(headers);
      return handle(value, digest, address);
    },
  });
  return [
    own('GET', 'lookup', async (id, digest) => {
      const { entity, policies, ttlSeconds, createdAt, renewable } = usable(await token.of(digest).look(digest));
      const data = { id, entity_id: entity, policies, renewable, ttl: ttlSeconds, creation_time: Math.floor(createdAt / 1000) };
      return { status: 200, body: { data } };
    }),
    own('POST', 'renew', async (value, digest, source) => {
      const renewed = usable(await token.of(digest).renew(digest, source));
      if (renewed === 'fixed') throw new Fault('AUTH_TOKEN_NOT_RENEWABLE');
      return authAnswer(value, renewed);
    }),
    own('POST', 'revoke', async (_value, digest, source) => {
      usable((await token.of(digest).revoke(digest, source)) || null);
      return { status: 204 };
    }),
  ];
}

/** One request, one credential: the header that counts first decides, here too. @throws Fault AUTH_TOKEN_DENIED */
function shownIn(headers: Request['headers']): { value: string; digest: string } {
  const value = headers[HEADER];
  const digest = appTokenDigest(value);
  if (digest === undefined || headers['authorization'] !== undefined) throw new Fault('AUTH_TOKEN_DENIED');
  return { value: value as string, digest };
}

function usable<T>(found: T | null): T {
  if (found === null) throw new Fault('AUTH_TOKEN_DENIED');
  return found;
}
