// The tokens of a role by accessor: listed, and revoked one by one or all at once.
import type { TokenKind } from '../../../actors/token/api.ts';
import type { Route } from '../../../kernel/http/route.ts';
import Type from '../../../kernel/type.ts';
import type { AuthContext } from '../actors.ts';
import { answerList } from '../listing.ts';
import { MAX_MEMBERS } from '../parameters.ts';
import { defineManagedRoute, existing, LIST_QUERY } from './role.ts';

const KINDS: readonly TokenKind[] = ['approle', 'cluster'];
const ACCESSOR = Type.Object({ accessor: Type.String({ maxLength: 1_024 }) }, { maxProperties: MAX_MEMBERS });

export function roleTokenRoutes(ctx: AuthContext): readonly Route[] {
  const { token } = ctx.actors;
  const ofKind = (kind: TokenKind): readonly Route[] => {
    const path = `/auth/${kind}/role/{name}/tokens`;
    return [
      defineManagedRoute(ctx, { method: 'GET', path, query: LIST_QUERY }, (request, _by, name) =>
        answerList(request, async (page) => existing(await token.of(name).tokens(kind, name, page)), ['{"data":{"tokens":', '}}']),
      ),
      defineManagedRoute(ctx, { method: 'POST', path: `${path}/revoke`, body: ACCESSOR }, async ({ body: { accessor } }, by, name) => {
        await token.of(name).revokeByAccessor(kind, name, accessor, by);
        return { status: 204 };
      }),
    ];
  };
  const all = defineManagedRoute(ctx, { method: 'POST', path: '/auth/cluster/role/{name}/revoke-tokens' }, async (_request, by, name) => {
    while (!existing(await token.of(name).revokeClusterTokens(name, by)));
    return { status: 204 };
  });
  return [...KINDS.flatMap(ofKind), all];
}
