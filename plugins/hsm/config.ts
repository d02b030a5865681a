// The tables [[hsm_instances]] of config.toml, and the flags that replace a single one of them.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Static } from 'typebox';
import type { FlagSpec, FlagValues } from '../../kernel/config/flags.ts';
import { LateSecret } from '../../kernel/config/schema.ts';
import type { Addition, Completed } from '../../kernel/plugin.ts';
import Type from '../../kernel/type.ts';
import type { HsmModel, HsmPlatform } from './model.ts';
import { MAX_THREADS } from './model-shape.ts';
import { withAdditions } from './models.ts';

const INSTANCE = Type.Object(
  {
    hsm_model: Type.String({ minLength: 1 }),
    hsm_admin: Type.Array(Type.String({ minLength: 1 }), { default: [] }),
    // Identifiers of keys have ten digits for it.
    hsm_slot: Type.Array(Type.Integer({ minimum: 0, maximum: 9_999_999_999 }), { minItems: 1, uniqueItems: true }),
    hsm_password: Type.Array(LateSecret()),
    library: Type.String({ default: '' }),
    // If not set, the first instance of a library runs in a thread, and each further one in a process.
    isolation: Type.Optional(Type.Enum(['thread', 'process'])),
    probe_seconds: Type.Integer({ default: 10, minimum: 1, maximum: 3_600 }),
    deadline_seconds: Type.Integer({ default: 30, minimum: 1, maximum: 600 }),
    // If not set, as the model says.
    threads: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_THREADS })),
  },
  { additionalProperties: false },
);

export const HSM_CONFIG = Type.Array(INSTANCE, { default: [] });
export type HsmInstanceConfig = Static<typeof INSTANCE>;
/** `model` and `prefix`, with which the identifiers of its keys begin, are there once the section is completed. */
export type HsmConfig = readonly (HsmInstanceConfig & { readonly model?: HsmModel; readonly prefix?: string })[];

/** The flag by which an operator takes another token in place of a missing one. */
export const ACCEPT_CHANGE = 'accept-hsm-change';

export const HSM_FLAGS: Readonly<Record<string, FlagSpec>> = {
  'hsm-model': { about: 'model of the HSM, if there is only one (default: soft_hsm); ignored if the file has [[hsm_instances]]' },
  'hsm-admin': { about: 'identity that administers the HSM; repeatable', repeatable: true },
  'hsm-slot': { about: 'slot to open; repeatable', repeatable: true },
  [ACCEPT_CHANGE]: { about: 'bind slots whose tokens are missing to the tokens that they hold now', switch: true },
  'hsm-password': { about: 'PIN of the slot, in the order of --hsm-slot; file:PATH or env:NAME; repeatable', secret: true, repeatable: true },
};

export function instanceOfFlags(flags: FlagValues): unknown {
  if (Object.keys(flags).every((name) => !name.startsWith('hsm-'))) return undefined;
  const numbers = (flags['hsm-slot'] ?? []).map((text) => (/^\d+$/.test(String(text)) ? Number(text) : text));
  return [
    { hsm_model: flags['hsm-model']?.[0] ?? 'soft_hsm', hsm_admin: flags['hsm-admin'] ?? [], hsm_slot: numbers, hsm_password: flags['hsm-password'] ?? [] },
  ];
}

export function hsmProblems(config: HsmConfig): string[] {
  return config.flatMap(({ hsm_slot: slots, hsm_password: passwords }, index) =>
    slots.length === passwords.length
      ? []
      : [`[${index}].hsm_password: ${passwords.length} passwords for ${slots.length} slots: give one for each slot, in the same order`],
  );
}

/** Gives each instance its prefix, and its model, which may come from another module or plugin. @param platform of Node: `process.platform` */
export function withModels(config: HsmConfig, additions: readonly Addition[], platform: string = process.platform): Completed<HsmConfig> {
  const { models, problems: found } = withAdditions(additions);
  const problems = [...found];
  const completed = config.map((instance, index) => {
    const at = `hsm_instances[${index}]`;
    const model = models.get(instance.hsm_model);
    if (!model) problems.push(`${at}.hsm_model: must be one of ${[...models.keys()].join(', ')}`);
    else problems.push(...modelProblems(instance, model, platform).map((problem) => `${at}${problem}`));
    return model ? { ...instance, model, prefix: prefixOf(config, index) } : instance;
  });
  return { config: completed, problems };
}

/** `hsm::<model>` for the first instance of a model, `_1`, `_2` ... for the others. */
function prefixOf(config: HsmConfig, index: number): string {
  const model = config[index]?.hsm_model as string;
  const before = config.slice(0, index).filter((other) => other.hsm_model === model).length;
  return `hsm::${model}${before === 0 ? '' : `_${before}`}`;
}

/** Relative paths start from `base`, as those of other settings do. A mere name is left to the loader of the system, unless the file is there. */
export function withLibraries(config: HsmConfig, base: string): HsmConfig {
  return config.map((instance) => {
    const path = resolve(base, instance.library);
    return instance.library !== '' && (/[/\\]/.test(instance.library) || existsSync(path)) ? { ...instance, library: path } : instance;
  });
}

function modelProblems({ library }: HsmInstanceConfig, { model, libraries, libraryVariable }: HsmModel, platform: string): string[] {
  const platforms = Object.keys(libraries);
  const usual = libraries[platform as HsmPlatform];
  if (!usual) return [`.hsm_model: ${model} works on ${platforms.join(' and ')} only, not on ${platform}`];
  const isNamed = library !== '' || usual.length > 0 || libraryVariable !== undefined;
  return isNamed ? [] : [`.library: the model "${model}" needs the path of its PKCS#11 library`];
}
