// The section [ai] of config.toml.
import type { Static } from 'typebox';
import { Secret, Section } from '../../kernel/config/schema.ts';
import { IDENTITY_PROVIDER, providerProblems } from '../../kernel/http/caller/identity-provider.ts';
import { isFetchable } from '../../kernel/http/outbound.ts';
import { composed } from '../../kernel/normal-form.ts';
import { realmListProblems } from '../../kernel/realm-id.ts';
import Type from '../../kernel/type.ts';
import { MODEL, modelProblems } from './models.ts';
import { isBaseName } from './name.ts';

const roles = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { default: ['*'] });

const realms = Type.Array(Type.String(), { default: ['*'] });

const BASE = Type.Object({ name: Type.String({ minLength: 1, maxLength: 128 }), readers: roles, writers: roles, realms }, { additionalProperties: false });

const PROVIDER = Type.Object({ ...IDENTITY_PROVIDER, roles_claim: Type.String({ default: '', maxLength: 255 }) }, { additionalProperties: false });

const quota = (value: number) => Type.Integer({ default: value, minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const AI_CONFIG = Section({
  enabled: Type.Boolean({ default: true }),
  open: Type.Boolean({ default: false }),
  auto_create_bases: Type.Boolean({ default: false }),
  text_limit: Type.Integer({ default: 2_000_000, minimum: 1_024, maximum: 16_777_216 }),
  file_limit: Type.Integer({ default: 67_108_864, minimum: 65_536, maximum: 134_217_728 }),
  time_limit_seconds: Type.Integer({ default: 60, minimum: 1, maximum: 600 }),
  use_matrix_accel: Type.Boolean({ default: false }),
  max_memory_mb: Type.Integer({ default: 0, minimum: 0, maximum: 1_048_576 }),
  keep_alive_seconds: Type.Integer({ default: 600, minimum: 1, maximum: 604_800 }),
  model_threads: Type.Integer({ default: 0, minimum: 0, maximum: 256 }),
  model_hub: Type.String({ default: 'https://huggingface.co', maxLength: 2_048 }),
  model_hub_token: Secret({ default: '' }),
  auth: Type.Array(PROVIDER, { default: [], maxItems: 100 }),
  documentary_bases: Type.Array(BASE, { default: [{ name: 'documents' }] }),
  models: Type.Array(MODEL, { default: [], maxItems: 128 }),
  quotas: Section({ bases: quota(1_000), references_per_base: quota(10_000), passages_per_base: quota(100_000) }),
});

export type AiConfig = Static<typeof AI_CONFIG>;

export function aiProblems({ documentary_bases: bases, models, model_hub: hub, auth: providers, open }: AiConfig): string[] {
  // Whoever names providers does not mean a runner that asks nobody who they are.
  const openProblems = open && providers.length > 0 ? ['.auth: has no effect with open = true: remove one of them'] : [];
  const hubProblems = isFetchable(hub) ? [] : ['.model_hub: must be the address of a model hub: https, or http on this machine'];
  return [
    ...hubProblems,
    ...openProblems,
    ...providerProblems('.auth', providers),
    ...baseProblems(bases.map(({ name }) => composed(name))),
    ...bases.flatMap(({ realms }, index) => realmListProblems(`.documentary_bases[${index}].realms`, realms)),
    ...modelProblems(models),
  ];
}

function baseProblems(names: readonly string[]): string[] {
  return names.flatMap((name, index) => {
    if (!isBaseName(name)) return [`.documentary_bases[${index}].name: must not be . or .., and must not have control characters, / or \\`];
    return names.indexOf(name) < index ? [`.documentary_bases[${index}].name: another base has the same name; each needs its own`] : [];
  });
}
