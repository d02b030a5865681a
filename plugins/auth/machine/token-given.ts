// Operations on another app token that the caller holds: /auth/token/lookup, renew, revoke.
import type { Static } from 'typebox';
import type { Request, Route } from '../../../kernel/http/route.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { Ignored, MAX_LOGIN_BYTES, MAX_MEMBERS } from '../parameters.ts';
import { appTokenDigest, requireUsable, shownIn, useAppToken } from './app-token.ts';
import type { TokenForm } from './token-form.ts';
import { type TokenAction, tokenActions } from './token-self.ts';

/** Clients request a lease with `increment`; it is ignored, because the role sets the lease. */
const BODY = Type.Object({ token: Type.String({ maxLength: 1_024 }), increment: Ignored }, { maxProperties: MAX_MEMBERS });

/** The holder of a token may do everything with it that the token may do itself. A valid token in the header is also required, so that strangers cannot try values. */
export function tokenGivenRoutes(ctx: AuthContext, form: TokenForm): readonly Route[] {
  return Object.entries(tokenActions(ctx, form, false)).map(([name, act]: [string, TokenAction]) => ({
    method: 'POST',
    path: `/auth/token/${name}`,
    auth: 'none',
    anyContentType: true,
    body: BODY,
    bodyLimit: MAX_LOGIN_BYTES,
    async admit(address, headers) {
      requireUsable(await useAppToken(ctx, shownIn(headers).digest, address));
    },
    handle: ({ body: { token: value }, address }: Request<Static<typeof BODY>>) => act(value, requireUsable(appTokenDigest(value) ?? null), address),
  }));
}
