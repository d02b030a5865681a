// POST and PUT /auth/approle/login: a token for a role id and a secret id.
import Type, { type Static } from 'typebox';
import { Fault } from '../../../kernel/fault.ts';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { MAX_LOGIN_BYTES, MAX_MEMBERS } from '../parameters.ts';
import { digestOf, newAppToken } from './app-token.ts';
import type { TokenForm } from './token-form.ts';

/** Both are UUIDs of ours. */
const id = Type.String({ maxLength: 1_024 });
/** Some clients write null where they have no secret id. */
const BODY = Type.Object({ role_id: id, secret_id: Type.Optional(Type.Union([id, Type.Null()])) }, { maxProperties: MAX_MEMBERS });

export function approleLoginRoutes(ctx: AuthContext, form: TokenForm, count: () => void): readonly Route[] {
  const handle = async ({ body: { role_id: roleId, secret_id: secretId = null }, address }: Request<Static<typeof BODY>>): Promise<Response> => {
    const { value, token } = newAppToken(address);
    const login = await ctx.actors.token.of(roleId).loginRole({ ...token, roleId, secretDigest: secretId === null ? null : digestOf(secretId) });
    if (login.outcome === 'exhausted') throw new Fault('AUTH_SECRET_ID_EXHAUSTED');
    if (login.outcome !== 'issued') throw new Fault('AUTH_ROLE_DENIED');
    count();
    return { status: 200, body: { auth: form.issued(value, login.token) } };
  };
  const route = { path: '/auth/approle/login', auth: 'none', anyContentType: true, body: BODY, bodyLimit: MAX_LOGIN_BYTES, handle } as const;
  return [
    { method: 'POST', ...route },
    { method: 'PUT', ...route },
  ];
}
