// What the holder of an app token does with another one that it has: /auth/token/lookup, renew, revoke.
import Type, { type Static } from 'typebox';
import type { Request, Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { Ignored, MAX_LOGIN_BYTES, MAX_MEMBERS } from '../parameters.ts';
import { appTokenDigest, shownIn, usable } from './app-token.ts';
import type { TokenForm } from './token-form.ts';
import { type TokenAction, tokenActions } from './token-self.ts';

/** `increment` is what clients ask a renewal for; the lease is the role's all the same. */
const BODY = Type.Object({ token: Type.String({ maxLength: 1_024 }), increment: Ignored }, { maxProperties: MAX_MEMBERS });

/** Who has a token may do with it whatever it may do itself; a second one in the header keeps strangers from trying. */
export function tokenGivenRoutes(ctx: AuthContext, form: TokenForm): readonly Route[] {
  const { token } = ctx.actors;
  return Object.entries(tokenActions(ctx, form)).map(([name, act]: [string, TokenAction]) => ({
    method: 'POST',
    path: `/auth/token/${name}`,
    auth: 'none',
    anyContentType: true,
    body: BODY,
    bodyLimit: MAX_LOGIN_BYTES,
    async admit(_address, headers) {
      const { digest } = shownIn(headers);
      usable(await token.of(digest).look(digest));
    },
    handle: ({ body: { token: value }, address }: Request<Static<typeof BODY>>) => act(value, usable(appTokenDigest(value) ?? null), address),
  }));
}
