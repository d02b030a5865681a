// The description of a token for clients of Vault and OpenBao.
import type { TokenView } from '../../../actors/token/api.ts';
import type { TokenForm } from '../machine/token-form.ts';

/** Fixed: tokens here have no parent tokens. */
const KIND = { orphan: true };

export const VAULT_TOKEN: TokenForm = {
  formatIssued(value, token) {
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
      num_uses: token.usesLeft,
      ...KIND,
    };
  },
  formatDescribed(id, token) {
    const { accessor, kind, policies, entity, createdAt, ttlSeconds, leaseSeconds, maxTtlSeconds, expiresAt, renewable, bounds, usesLeft } = token;
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
      num_uses: usesLeft,
      // The narrowest: that of the secret id where there is one.
      ...(bounds.length > 0 && { bound_cidrs: bounds.at(-1) }),
      renewable,
      ttl: ttlSeconds,
      // How long the token was valid at first; 0 means no limit.
      creation_ttl: leaseSeconds === 0 || maxTtlSeconds === 0 ? leaseSeconds + maxTtlSeconds : Math.min(leaseSeconds, maxTtlSeconds),
      explicit_max_ttl: maxTtlSeconds,
      creation_time: Math.floor(createdAt / 1000),
      issue_time: new Date(createdAt).toISOString(),
      expire_time: expiresAt === 0 ? null : new Date(expiresAt).toISOString(),
    };
  },
};

/** Values are strings, because these clients accept no others here. */
function metadataOf({ kind, role, entity }: TokenView): Readonly<Record<string, string>> {
  if (kind === 'approle') return { role_name: role };
  const [namespace, account] = entity.split('/') as [string, string];
  return { role, service_account_namespace: namespace, service_account_name: account };
}
