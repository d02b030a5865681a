// POST and PUT /auth/approle/login: a token for a role id and a secret id.
import Type, { type Static } from 'typebox';
import { Fault } from '../../../kernel/fault.ts';
import type { Request, Response, Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { MAX_LOGIN_BYTES, MAX_MEMBERS } from '../parameters.ts';
import { authAnswer, digestOf, newAppToken } from './app-token.ts';

/** Both are UUIDs of ours. */
const id = Type.String({ maxLength: 1_024 });
const BODY = Type.Object({ role_id: id, secret_id: Type.Optional(id) }, { maxProperties: MAX_MEMBERS });

export function approleLoginRoutes(ctx: AuthContext, count: () => void): readonly Route[] {
  const handle = async ({ body: { role_id: roleId, secret_id: secretId }, address }: Request<Static<typeof BODY>>): Promise<Response> => {
    const { value, token } = newAppToken(address);
    const login = await ctx.actors.token.of(roleId).loginRole({ ...token, roleId, secretDigest: secretId === undefined ? null : digestOf(secretId) });
    if (login.outcome === 'exhausted') throw new Fault('AUTH_SECRET_ID_EXHAUSTED');
    if (login.outcome !== 'issued') throw new Fault('AUTH_ROLE_DENIED');
    count();
    return authAnswer(value, login.token);
  };
  const route = { path: '/auth/approle/login', auth: 'none', anyContentType: true, body: BODY, bodyLimit: MAX_LOGIN_BYTES, handle } as const;
  return [
    { method: 'POST', ...route },
    { method: 'PUT', ...route },
  ];
}
