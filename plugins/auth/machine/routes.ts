// The routes of machine authentication.
import type { Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { approleRoutes } from './approle.ts';
import { approleLoginRoutes } from './approle-login.ts';
import { clusterLoginRoutes } from './cluster-login.ts';
import { clusterRoleRoutes } from './cluster-role.ts';
import { secretIdRoutes } from './secret-id.ts';
import { tokenSelfRoutes } from './token-self.ts';

export function machineRoutes(ctx: AuthContext): readonly Route[] {
  const tokens = ctx.metrics.counter('tokens_generated_total', 'App tokens generated, by the way the machine signed in', ['kind']);
  return [
    ...approleLoginRoutes(ctx, () => tokens.inc({ kind: 'approle' })),
    ...approleRoutes(ctx),
    ...secretIdRoutes(ctx),
    ...clusterLoginRoutes(ctx, () => tokens.inc({ kind: 'cluster' })),
    ...clusterRoleRoutes(ctx),
    ...tokenSelfRoutes(ctx),
  ];
}
