// The form in which answers describe an app token, and its version in the specification.
import type { TokenView } from '../../../actors/token/api.ts';

export interface TokenForm {
  /** The member `auth` of an answer that issues or renews a token. */
  formatIssued(value: string, token: TokenView): object;
  /** The member `data` of an answer that describes a token. */
  formatDescribed(value: string, token: TokenView): object;
}

export const SPECIFIED: TokenForm = {
  // `lease_duration` is the granted time: the role's lease, or less if the token is close to its maximum age.
  formatIssued: (value, { kind, role, policies, ttlSeconds, renewable }) => ({
    client_token: value,
    renewable,
    lease_duration: ttlSeconds,
    policies,
    metadata: kind === 'approle' ? { role_name: role } : {},
  }),
  formatDescribed: (id, { entity, policies, ttlSeconds, createdAt, renewable }) => ({
    id,
    entity_id: entity,
    policies,
    renewable,
    ttl: ttlSeconds,
    creation_time: Math.floor(createdAt / 1000),
  }),
};
