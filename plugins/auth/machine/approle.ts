// Management of the roles that sign in with a role id: /auth/approle/role.
import type { Static } from 'typebox';
import type { Role, RoleSettings } from '../../../actors/token/api.ts';
import type { Route } from '../../../kernel/http/route.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { MAX_MEMBERS } from '../parameters.ts';
import { Cidrs, cidrsOf } from './cidrs.ts';
import { defineManagedRoute, existing, keysAnswer, LIST_QUERY, maxTtlOf, requireAddressable, Seconds, Strings, Uses } from './role.ts';

const DEFAULTS = {
  token_ttl: 3_600,
  token_max_ttl: 0,
  token_policies: [] as string[],
  token_renewable: true,
  token_bound_cidrs: [] as string[],
  token_num_uses: 0,
  secret_id_ttl: 0,
  secret_id_num_uses: 0,
  secret_id_bound_cidrs: [] as string[],
  bind_secret_id: true,
};

const BODY = Type.Partial(
  Type.Object({
    token_ttl: Seconds({ default: DEFAULTS.token_ttl }),
    token_max_ttl: Seconds({ default: DEFAULTS.token_max_ttl }),
    token_explicit_max_ttl: Seconds({ default: 0 }),
    token_policies: Strings({ default: DEFAULTS.token_policies }),
    token_renewable: Type.Boolean({ default: DEFAULTS.token_renewable }),
    token_bound_cidrs: Cidrs(),
    token_num_uses: Uses(),
    secret_id_ttl: Seconds({ default: DEFAULTS.secret_id_ttl }),
    secret_id_num_uses: Uses(),
    secret_id_bound_cidrs: Cidrs(),
    bind_secret_id: Type.Boolean({ default: DEFAULTS.bind_secret_id }),
  }),
  { maxProperties: MAX_MEMBERS },
);

type Body = Static<typeof BODY>;
type Settled = Required<Omit<Body, 'token_explicit_max_ttl'>> & Pick<Body, 'token_explicit_max_ttl'>;

const ROLE = '/auth/approle/role/{name}';

export function approleRoutes(ctx: AuthContext): readonly Route[] {
  const { token } = ctx.actors;
  return [
    defineManagedRoute(ctx, { method: 'GET', path: '/auth/approle/role', query: LIST_QUERY }, (request) =>
      keysAnswer(request, (page) => token.of('').roles(page)),
    ),
    defineManagedRoute(ctx, { method: 'POST', path: ROLE, body: BODY, bodyOptional: true }, async ({ body }, by, name) => {
      requireAddressable(name);
      await token.of(name).putRole(name, settingsOf({ ...DEFAULTS, ...(body as Body | undefined) }), by);
      return { status: 204 };
    }),
    defineManagedRoute(ctx, { method: 'GET', path: ROLE }, async (_request, _by, name) => {
      return { status: 200, body: { data: bodyOf(existing(await token.of(name).role(name))) } };
    }),
    defineManagedRoute(ctx, { method: 'DELETE', path: ROLE }, async (_request, by, name) => {
      while (!(await token.of(name).deleteRole(name, by)));
      return { status: 204 };
    }),
    defineManagedRoute(ctx, { method: 'GET', path: `${ROLE}/role-id` }, async (_request, _by, name) => {
      return { status: 200, body: { data: { role_id: existing(await token.of(name).role(name)).roleId } } };
    }),
    defineManagedRoute(ctx, { method: 'POST', path: `${ROLE}/revoke-tokens` }, async (_request, by, name) => {
      while (!existing(await token.of(name).revokeTokens(name, by)));
      return { status: 204 };
    }),
  ];
}

function settingsOf(body: Settled): RoleSettings {
  return {
    tokenTtlSeconds: body.token_ttl,
    tokenMaxTtlSeconds: maxTtlOf(body),
    tokenPolicies: body.token_policies,
    tokenRenewable: body.token_renewable,
    tokenBoundCidrs: cidrsOf(body.token_bound_cidrs),
    tokenNumUses: body.token_num_uses,
    secretIdTtlSeconds: body.secret_id_ttl,
    secretIdNumUses: body.secret_id_num_uses,
    secretIdBoundCidrs: cidrsOf(body.secret_id_bound_cidrs),
    bindSecretId: body.bind_secret_id,
  };
}

function bodyOf(role: Role): typeof DEFAULTS {
  return {
    token_ttl: role.tokenTtlSeconds,
    token_max_ttl: role.tokenMaxTtlSeconds,
    token_policies: [...role.tokenPolicies],
    token_renewable: role.tokenRenewable,
    token_bound_cidrs: [...role.tokenBoundCidrs],
    token_num_uses: role.tokenNumUses,
    secret_id_ttl: role.secretIdTtlSeconds,
    secret_id_num_uses: role.secretIdNumUses,
    secret_id_bound_cidrs: [...role.secretIdBoundCidrs],
    bind_secret_id: role.bindSecretId,
  };
}
