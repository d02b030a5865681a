// The routes of machine authentication.
import type { Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { approleRoutes } from './approle.ts';
import { approleLoginRoutes } from './approle-login.ts';
import { clusterLoginRoutes } from './cluster-login.ts';
import { clusterRoleRoutes } from './cluster-role.ts';
import { secretIdRoutes } from './secret-id.ts';
import { tokenSelfRoutes } from './token-self.ts';

/** @param admit the limit of sign-ins per address */
export function machineRoutes(ctx: AuthContext, admit: (address: string) => void): readonly Route[] {
  const tokens = ctx.metrics.counter('tokens_generated_total', 'App tokens generated, by the way the machine signed in', ['kind']);
  const logins = [...approleLoginRoutes(ctx, () => tokens.inc({ kind: 'approle' })), ...clusterLoginRoutes(ctx, () => tokens.inc({ kind: 'cluster' }))];
  return [...logins.map((route) => ({ ...route, admit })), ...approleRoutes(ctx), ...secretIdRoutes(ctx), ...clusterRoleRoutes(ctx), ...tokenSelfRoutes(ctx)];
}
