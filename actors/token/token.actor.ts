// Owns machine roles, secret ids and app tokens.
import { defineActor } from '../../kernel/actor.ts';
import { repeat } from '../../kernel/repeat.ts';
import { openBelievedTime } from '../../kernel/store/believed-time.ts';
import type { Store } from '../../kernel/store/store.ts';
import type { TokenApi } from './api.ts';
import { listClusterRoles, putClusterRole, readClusterRole } from './cluster-roles.ts';
import { deleteRoleOf, revokeTokensOfRole } from './end-role.ts';
import { loginCluster, loginRole } from './login.ts';
import type { TokenQuotas } from './quota.ts';
import { listTokens, revokeByAccessor } from './role-tokens.ts';
import { listRoles, putRole, readRole } from './roles.ts';
import { createSecretId, destroySecretId, listAccessors, purgeSecretIds } from './secret-ids.ts';
import { TokenCache } from './token-cache.ts';
import { purgeTokens, renewToken, revokeToken, useToken } from './tokens.ts';

export interface TokenArgs {
  readonly quotas: TokenQuotas;
}

const PURGE_MS = 60_000;

export default defineActor<TokenApi, TokenArgs>(async ({ quotas }, ctx) => {
  const store = await ctx.openStore();
  const { clock } = ctx;
  const tokens = new TokenCache(store, ctx.versions);
  const believedTime = await openBelievedTime(store, clock);
  const purge = () => purgeEnded(store, believedTime.now());
  const rest = repeat(clock, PURGE_MS, purge, (error) => ctx.log.warn({ error: String(error) }, 'cannot purge expired tokens; the server will try again'));

  const api: TokenApi = {
    putRole: (name, settings, by) => putRole(store, name, settings, by),
    role: (name) => readRole(store, name),
    roles: (page) => listRoles(store, page),
    deleteRole: (name, by) => deleteRoleOf(store, 'approle', name, by, clock.now()),
    tokens: (kind, role, page) => listTokens(store, kind, role, page, clock.now()),
    revokeTokens: (role, by) => revokeTokensOfRole(store, 'approle', role, by),
    revokeClusterTokens: (role, by) => revokeTokensOfRole(store, 'cluster', role, by),
    revokeByAccessor: (kind, role, accessor, by) => revokeByAccessor(store, kind, role, accessor, by),
    createSecretId: (secretId, by) => createSecretId(store, secretId, by, quotas, clock.now()),
    accessors: (role, page) => listAccessors(store, role, page, clock.now()),
    destroySecretId: (role, accessor, by) => destroySecretId(store, role, accessor, by, clock.now()),
    loginRole: (login) => loginRole(store, login, quotas, clock.now()),
    putClusterRole: (name, settings, by) => putClusterRole(store, name, settings, by, clock.now()),
    clusterRole: (name) => readClusterRole(store, name),
    clusterRoles: (page) => listClusterRoles(store, page),
    deleteClusterRole: (name, by) => deleteRoleOf(store, 'cluster', name, by, clock.now()),
    loginCluster: (login) => loginCluster(store, login, quotas, clock.now()),
    look: (digest, source) => tokens.look(digest, source, clock.now()),
    use: (digest, source) => useToken(store, digest, source, clock.now()),
    renew: (digest, source, counts) => renewToken(store, digest, source, counts, clock.now()),
    revoke: (digest, source) => revokeToken(store, digest, source, clock.now()),
    record: (event) => store.transaction((tx) => tx.audit(event)),
  };
  return {
    api,
    async stop() {
      rest();
      await store.close();
    },
  };
});

async function purgeEnded(store: Store, now: number): Promise<void> {
  await purgeTokens(store, now);
  await purgeSecretIds(store, now);
}
