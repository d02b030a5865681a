// The section [auth] of config.toml.
import type { Static } from 'typebox';
import { PLACEMENT } from '../../kernel/config/placement.ts';
import { Section } from '../../kernel/config/schema.ts';
import { REALM_ID_PATTERN } from '../../kernel/realm-id.ts';
import Type from '../../kernel/type.ts';

/** 0 means no limit. */
const quota = (value: number) => Type.Integer({ default: value, minimum: 0, maximum: 2 ** 31 - 1 });
const count = (value: number, maximum = 1_000_000) => Type.Integer({ default: value, minimum: 1, maximum });

export const AUTH_CONFIG = Section({
  issuer: Type.String({ default: 'gatehouse', minLength: 1, maxLength: 255 }),
  certificate_signing: Type.Boolean({ default: true }),
  certificate_realms: Type.Array(
    Type.String({ pattern: `^([*]|${REALM_ID_PATTERN})$`, description: 'a realm (1 to 64 letters, digits, - and _), or "*" for all but _' }),
    { default: ['*'] },
  ),
  publish_session_jwks: Type.Boolean({ default: false }),
  login_rate_per_second: count(5),
  login_rate_burst: count(10),
  lockout_failures: count(5),
  lockout_failures_all_sources: count(50),
  lockout_window_seconds: count(900, 86_400),
  lockout_seconds: count(900, 86_400),
  jwks_ca: Type.String({ default: '' }),
  placement: PLACEMENT,
  quotas: Section({
    sessions_per_identity: quota(1_000),
    sessions_per_realm: quota(1_000_000),
    tokens_per_identity: quota(100_000),
    tokens_per_role: quota(1_000_000),
    secret_ids_per_role: quota(100_000),
    credentials_per_realm: quota(1_000_000),
    admins_per_realm: quota(10_000),
  }),
});

export type AuthConfig = Static<typeof AUTH_CONFIG>;
