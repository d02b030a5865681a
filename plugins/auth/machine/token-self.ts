// Operations on the app token of the request: /auth/token/lookup-self, renew-self, revoke-self.
import { Fault } from '../../../kernel/fault.ts';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { requireUsable, shownIn, useAppToken } from './app-token.ts';
import type { TokenForm } from './token-form.ts';

const MAX_UNUSED_BYTES = 1_048_576;

/** An operation on a token, whether it comes in the header or in the body. */
export type TokenAction = (value: string, digest: string, source: string) => Promise<Response>;

/** @param counts whether the request is a use of the token itself */
export function tokenActions(ctx: AuthContext, form: TokenForm, counts: boolean): Readonly<Record<'lookup' | 'renew' | 'revoke', TokenAction>> {
  const { token } = ctx.actors;
  return {
    async lookup(value, digest, source) {
      const found = await (counts ? useAppToken(ctx, digest, source) : token.of(digest).look(digest, source));
      return { status: 200, body: { data: form.formatDescribed(value, requireUsable(found)) } };
    },
    async renew(value, digest, source) {
      const renewed = requireUsable(await token.of(digest).renew(digest, source, counts));
      if (renewed === 'fixed') throw new Fault('AUTH_TOKEN_NOT_RENEWABLE');
      return { status: 200, body: { auth: form.formatIssued(value, renewed) } };
    },
    async revoke(_value, digest, source) {
      requireUsable((await token.of(digest).revoke(digest, source)) || null);
      return { status: 204 };
    },
  };
}

export function tokenSelfRoutes(ctx: AuthContext, form: TokenForm): readonly Route[] {
  const { token } = ctx.actors;
  const { lookup, renew, revoke } = tokenActions(ctx, form, true);
  const admit: Route['admit'] = async (address, headers) => {
    const { digest } = shownIn(headers);
    requireUsable(await token.of(digest).look(digest, address));
  };
  const own = (method: 'GET' | 'POST', action: string, act: TokenAction): Route => ({
    method,
    path: `/auth/token/${action}-self`,
    auth: 'none',
    // Clients send bodies that have no meaning here and are often not valid JSON; they are not parsed.
    rawBody: true,
    bodyLimit: MAX_UNUSED_BYTES,
    // Check the token before the body is read; a GET has no body.
    ...(method === 'POST' && { admit }),
    handle: ({ headers, address }: Request) => {
      const { value, digest } = shownIn(headers);
      return act(value, digest, address);
    },
  });
  return [own('GET', 'lookup', lookup), own('POST', 'renew', renew), own('POST', 'revoke', revoke)];
}
