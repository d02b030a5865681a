// How answers word what is known of an app token: the form of the specification.
import type { TokenView } from '../../../actors/token/api.ts';

export interface TokenForm {
  /** The member `auth` of an answer that issues or renews a token. */
  issued(value: string, token: TokenView): object;
  /** The member `data` of an answer to a look at it. */
  described(value: string, token: TokenView): object;
}

export const SPECIFIED: TokenForm = {
  // `lease_duration` is the time that was granted: the role's, or less where its maximum is near.
  issued: (value, { kind, role, policies, ttlSeconds, renewable }) => ({
    client_token: value,
    renewable,
    lease_duration: ttlSeconds,
    policies,
    metadata: kind === 'approle' ? { role_name: role } : {},
  }),
  described: (id, { entity, policies, ttlSeconds, createdAt, renewable }) => ({
    id,
    entity_id: entity,
    policies,
    renewable,
    ttl: ttlSeconds,
    creation_time: Math.floor(createdAt / 1000),
  }),
};
