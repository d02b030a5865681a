// Management of the roles that sign in as service accounts of a cluster: /auth/cluster/role.
import type { Static } from 'typebox';
import type { ClusterRole, ClusterRoleSettings } from '../../../actors/token/api.ts';
import { Fault } from '../../../kernel/fault.ts';
import { isFetchable } from '../../../kernel/http/outbound.ts';
import type { Route } from '../../../kernel/http/route.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { DOCUMENT_ADDRESS, MAX_BOUND_LIST_BYTES, MAX_MEMBERS } from '../parameters.ts';
import { Cidrs, cidrsOf } from './cidrs.ts';
import { defineManagedRoute, existing, keysAnswer, LIST_QUERY, MAX_ENTRY_CHARACTERS, maxTtlOf, requireAddressable, Seconds, Strings, Uses } from './role.ts';

/** Vault's name for the single entry of `bound_audiences`, which answers have; empty, as its clients may send it, it is none. */
const AUDIENCE = Type.Optional(Type.String({ maxLength: MAX_ENTRY_CHARACTERS }));

/** Refuses empty lists: such a list would allow nobody, but could be mistaken for one that allows everybody. */
const BODY = Type.Object(
  {
    jwks_url: DOCUMENT_ADDRESS,
    bound_service_account_names: Strings({ minItems: 1, 'x-max-bytes': MAX_BOUND_LIST_BYTES }),
    bound_service_account_namespaces: Strings({ minItems: 1, 'x-max-bytes': MAX_BOUND_LIST_BYTES }),
    token_ttl: Seconds(),
    token_max_ttl: Type.Optional(Seconds({ default: 0 })),
    token_explicit_max_ttl: Type.Optional(Seconds({ default: 0 })),
    token_policies: Type.Optional(Strings({ default: [] })),
    token_renewable: Type.Optional(Type.Boolean({ default: true })),
    token_bound_cidrs: Type.Optional(Cidrs()),
    token_num_uses: Type.Optional(Uses()),
    expected_issuer: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
    bound_audiences: Type.Optional(Strings({ minItems: 1, 'x-max-bytes': MAX_BOUND_LIST_BYTES })),
    audience: AUDIENCE,
  },
  {
    maxProperties: MAX_MEMBERS,
    description: 'without `audience` or without `bound_audiences`, of which it is another name',
    not: { type: 'object', required: ['audience', 'bound_audiences'], properties: { audience: { type: 'string', minLength: 1 }, bound_audiences: {} } },
  },
);

type Body = Static<typeof BODY>;

const ROLE = '/auth/cluster/role/{name}';

export function clusterRoleRoutes(ctx: AuthContext): readonly Route[] {
  const { token } = ctx.actors;
  return [
    defineManagedRoute(ctx, { method: 'GET', path: '/auth/cluster/role', query: LIST_QUERY }, (request) =>
      keysAnswer(request, (page) => token.of('').clusterRoles(page)),
    ),
    defineManagedRoute(ctx, { method: 'POST', path: ROLE, body: BODY }, async ({ body }, by, name) => {
      requireAddressable(name);
      await token.of(name).putClusterRole(name, settingsOf(body), by);
      return { status: 204 };
    }),
    defineManagedRoute(ctx, { method: 'GET', path: ROLE }, async (_request, _by, name) => {
      return { status: 200, body: { data: bodyOf(existing(await token.of(name).clusterRole(name))) } };
    }),
    defineManagedRoute(ctx, { method: 'DELETE', path: ROLE }, async (_request, by, name) => {
      while (!(await token.of(name).deleteClusterRole(name, by)));
      return { status: 204 };
    }),
  ];
}

function settingsOf(body: Body): ClusterRoleSettings {
  if (!isFetchable(body.jwks_url)) throw new Fault('BAD_REQUEST', { detail: 'body/jwks_url: must be https, or http on the same machine' });
  return {
    jwksUrl: body.jwks_url,
    serviceAccountNames: body.bound_service_account_names,
    serviceAccountNamespaces: body.bound_service_account_namespaces,
    tokenTtlSeconds: body.token_ttl,
    tokenMaxTtlSeconds: maxTtlOf(body),
    tokenPolicies: body.token_policies ?? [],
    tokenRenewable: body.token_renewable ?? true,
    tokenBoundCidrs: cidrsOf(body.token_bound_cidrs),
    tokenNumUses: body.token_num_uses ?? 0,
    expectedIssuer: body.expected_issuer ?? null,
    audiences: audiencesOf(body),
  };
}

function audiencesOf({ bound_audiences: audiences, audience = '' }: Body): readonly string[] | null {
  return audience === '' ? (audiences ?? null) : [audience];
}

/** Omits optional members that were not set, so that a client may post the answer back unchanged. */
function bodyOf(role: ClusterRole): Body {
  return {
    jwks_url: role.jwksUrl,
    bound_service_account_names: [...role.serviceAccountNames],
    bound_service_account_namespaces: [...role.serviceAccountNamespaces],
    token_ttl: role.tokenTtlSeconds,
    token_max_ttl: role.tokenMaxTtlSeconds,
    token_policies: [...role.tokenPolicies],
    token_renewable: role.tokenRenewable,
    ...(role.tokenBoundCidrs.length === 0 ? {} : { token_bound_cidrs: [...role.tokenBoundCidrs] }),
    ...(role.tokenNumUses === 0 ? {} : { token_num_uses: role.tokenNumUses }),
    ...(role.expectedIssuer === null ? {} : { expected_issuer: role.expectedIssuer }),
    ...(role.audiences === null ? {} : { bound_audiences: [...role.audiences] }),
  };
}
