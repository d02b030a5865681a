// The section [auth] of config.toml.
import Type, { type Static } from 'typebox';
import { Section } from '../../kernel/config/schema.ts';

const count = (value: number, maximum = 1_000_000) => Type.Integer({ default: value, minimum: 1, maximum });

export const AUTH_CONFIG = Section({
  issuer: Type.String({ default: 'gatehouse', minLength: 1, maxLength: 255 }),
  certificate_signing: Type.Boolean({ default: true }),
  certificate_realms: Type.Array(Type.String(), { default: ['*'] }),
  publish_session_jwks: Type.Boolean({ default: false }),
  login_rate_per_second: count(5),
  login_rate_burst: count(10),
  lockout_failures: count(5),
  lockout_failures_all_sources: count(50),
  lockout_window_seconds: count(900, 86_400),
  lockout_seconds: count(900, 86_400),
  jwks_ca: Type.String({ default: '' }),
});

export type AuthConfig = Static<typeof AUTH_CONFIG>;
