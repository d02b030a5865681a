// The section [auth] of config.toml.
import Type, { type Static } from 'typebox';
import { Section } from '../../kernel/config/schema.ts';

export const AUTH_CONFIG = Section({
  issuer: Type.String({ default: 'gatehouse', minLength: 1, maxLength: 255 }),
  jwks_ca: Type.String({ default: '' }),
});

export type AuthConfig = Static<typeof AUTH_CONFIG>;
