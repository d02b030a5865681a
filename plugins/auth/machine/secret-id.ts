// Secret ids of a role: shown once when they are generated; listed and destroyed by accessor.
import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { Route } from '../../../kernel/http/route.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { MAX_MEMBERS } from '../parameters.ts';
import { digestOf } from './app-token.ts';
import { Cidrs, cidrsOf } from './cidrs.ts';
import { defineManagedRoute, existing, keysAnswer, LIST_QUERY, Seconds, Uses } from './role.ts';

const SECRET_IDS = '/auth/approle/role/{name}/secret-id';
const DEFAULTS = { ttl: 0, num_uses: 0 };

const BODY = Type.Partial(Type.Object({ ttl: Seconds({ default: DEFAULTS.ttl }), num_uses: Uses(), cidr_list: Cidrs(), token_bound_cidrs: Cidrs() }), {
  maxProperties: MAX_MEMBERS,
});

export function secretIdRoutes(ctx: AuthContext): readonly Route[] {
  const { token } = ctx.actors;
  return [
    defineManagedRoute(ctx, { method: 'POST', path: SECRET_IDS, body: BODY, bodyOptional: true }, async ({ body }, by, role) => {
      const { ttl: ttlSeconds, num_uses: numUses, cidr_list: cidrs, token_bound_cidrs: tokenCidrs } = { ...DEFAULTS, ...body };
      const bounds = { boundCidrs: cidrsOf(cidrs), tokenBoundCidrs: cidrsOf(tokenCidrs) };
      const secretId = randomUUID();
      const accessor = randomUUIDv7();
      const created = await token.of(role).createSecretId({ role, digest: digestOf(secretId), accessor, ttlSeconds, numUses, ...bounds }, by);
      existing(created || null);
      return { status: 200, body: { data: { secret_id: secretId, secret_id_accessor: accessor } } };
    }),
    defineManagedRoute(ctx, { method: 'GET', path: SECRET_IDS, query: LIST_QUERY }, (request, _by, role) =>
      keysAnswer(request, async (page) => existing(await token.of(role).accessors(role, page))),
    ),
    defineManagedRoute(
      ctx,
      {
        method: 'POST',
        path: `${SECRET_IDS}/destroy`,
        body: Type.Object({ secret_id_accessor: Type.String({ maxLength: 1_024 }) }, { maxProperties: MAX_MEMBERS }),
      },
      async ({ body: { secret_id_accessor: accessor } }, by, role) => {
        await token.of(role).destroySecretId(role, accessor, by);
        return { status: 204 };
      },
    ),
  ];
}
