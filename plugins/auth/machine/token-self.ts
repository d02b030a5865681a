// What the holder of an app token does with it: /auth/token/lookup-self, renew-self, revoke-self.
import { Fault } from '../../../kernel/fault.ts';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { shownIn, usable } from './app-token.ts';
import type { TokenForm } from './token-form.ts';

const MAX_UNUSED_BYTES = 1_048_576;

/** What can be done with a token, whoever brings it. */
export type TokenAction = (value: string, digest: string, source: string) => Promise<Response>;

export function tokenActions(ctx: AuthContext, form: TokenForm): Readonly<Record<'lookup' | 'renew' | 'revoke', TokenAction>> {
  const { token } = ctx.actors;
  return {
    async lookup(value, digest) {
      return { status: 200, body: { data: form.described(value, usable(await token.of(digest).look(digest))) } };
    },
    async renew(value, digest, source) {
      const renewed = usable(await token.of(digest).renew(digest, source));
      if (renewed === 'fixed') throw new Fault('AUTH_TOKEN_NOT_RENEWABLE');
      return { status: 200, body: { auth: form.issued(value, renewed) } };
    },
    async revoke(_value, digest, source) {
      usable((await token.of(digest).revoke(digest, source)) || null);
      return { status: 204 };
    },
  };
}

export function tokenSelfRoutes(ctx: AuthContext, form: TokenForm): readonly Route[] {
  const { token } = ctx.actors;
  const { lookup, renew, revoke } = tokenActions(ctx, form);
  const own = (method: 'GET' | 'POST', action: string, act: TokenAction): Route => ({
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
      return act(value, digest, address);
    },
  });
  return [own('GET', 'lookup', lookup), own('POST', 'renew', renew), own('POST', 'revoke', revoke)];
}
