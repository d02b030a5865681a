// The section [tokenize] of config.toml.
import type { Static } from 'typebox';
import { PLACEMENT } from '../../kernel/config/placement.ts';
import { Section } from '../../kernel/config/schema.ts';
import Type from '../../kernel/type.ts';

export const TOKENIZE_CONFIG = Section({
  enabled: Type.Boolean({ default: true }),
  open: Type.Boolean({ default: false }),
  placement: PLACEMENT,
  body_limit: Type.Integer({ default: 65_536, minimum: 1_024, maximum: 16_777_216 }),
  time_limit_ms: Type.Integer({ default: 100, minimum: 10, maximum: 60_000 }),
});

export type TokenizeConfig = Static<typeof TOKENIZE_CONFIG>;
