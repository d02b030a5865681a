// The routes of machine authentication, in the form of the specification and in that of Vault and OpenBao.
import type { Route } from '../../../kernel/http/route.ts';
import type { AuthContext } from '../actors.ts';
import { vaultRoutes } from '../vault/routes.ts';
import { VAULT_TOKEN } from '../vault/token-form.ts';
import { approleRoutes } from './approle.ts';
import { approleLoginRoutes } from './approle-login.ts';
import { clusterLoginRoutes } from './cluster-login.ts';
import { clusterRoleRoutes } from './cluster-role.ts';
import { roleTokenRoutes } from './role-tokens.ts';
import { secretIdRoutes } from './secret-id.ts';
import { SPECIFIED, type TokenForm } from './token-form.ts';
import { tokenGivenRoutes } from './token-given.ts';
import { tokenSelfRoutes } from './token-self.ts';

/** @param admit the limit of sign-ins per address */
export function machineRoutes(ctx: AuthContext, admit: (address: string) => void): readonly Route[] {
  const tokens = ctx.metrics.counter('tokens_generated_total', 'App tokens generated, by the way the machine signed in', ['kind']);
  const routesIn = (form: TokenForm): readonly Route[] => {
    const logins = [
      ...approleLoginRoutes(ctx, form, () => tokens.inc({ kind: 'approle' })),
      ...clusterLoginRoutes(ctx, form, () => tokens.inc({ kind: 'cluster' })),
    ];
    const roles = [...approleRoutes(ctx), ...secretIdRoutes(ctx), ...clusterRoleRoutes(ctx), ...roleTokenRoutes(ctx)];
    return [...logins.map((route) => ({ ...route, admit })), ...roles, ...tokenSelfRoutes(ctx, form), ...tokenGivenRoutes(ctx, form)];
  };
  return [...routesIn(SPECIFIED), ...vaultRoutes(ctx, routesIn(VAULT_TOKEN))];
}
