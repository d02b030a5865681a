// How clients of Vault and OpenBao want to be told of a token.
import type { TokenView } from '../../../actors/token/api.ts';
import type { TokenForm } from '../machine/token-form.ts';

/** What such tokens may be elsewhere, and are not here: of limited use, children of others. */
const KIND = { orphan: true, num_uses: 0 };

export const VAULT_TOKEN: TokenForm = {
  issued(value, token) {
    const { accessor, policies, entity, ttlSeconds, renewable } = token;
    return {
      client_token: value,
      accessor,
      policies,
      token_policies: policies,
      metadata: metadataOf(token),
      lease_duration: ttlSeconds,
      renewable,
      entity_id: entity,
      token_type: 'service',
      mfa_requirement: null,
      ...KIND,
    };
  },
  described(id, token) {
    const { accessor, kind, policies, entity, createdAt, ttlSeconds, leaseSeconds, maxTtlSeconds, expiresAt, renewable } = token;
    return {
      id,
      accessor,
      policies,
      entity_id: entity,
      display_name: `${kind}-${entity}`,
      meta: metadataOf(token),
      path: kind === 'approle' ? 'auth/approle/login' : 'auth/kubernetes/login',
      type: 'service',
      ...KIND,
      renewable,
      ttl: ttlSeconds,
      creation_ttl: leaseSeconds === 0 ? maxTtlSeconds : leaseSeconds,
      explicit_max_ttl: maxTtlSeconds,
      creation_time: Math.floor(createdAt / 1000),
      issue_time: new Date(createdAt).toISOString(),
      expire_time: expiresAt === 0 ? null : new Date(expiresAt).toISOString(),
    };
  },
};

/** Texts only: these clients read nothing else there. */
function metadataOf({ kind, role, entity }: TokenView): Readonly<Record<string, string>> {
  if (kind === 'approle') return { role_name: role };
  const [namespace, account] = entity.split('/') as [string, string];
  return { role, service_account_namespace: namespace, service_account_name: account };
}
