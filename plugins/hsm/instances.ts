// Derives the HSM instances from the configuration: their prefixes, their libraries, and which instances share a library.
import { existsSync, realpathSync } from 'node:fs';
import type { HsmArgs, HsmPeer } from '../../actors/hsm/api.ts';
import type { SecretFile } from '../../kernel/config/secret-file.ts';
import type { Isolation } from '../../kernel/isolation.ts';
import { composed } from '../../kernel/normal-form.ts';
import type { HsmConfig } from './config.ts';
import type { HsmModel, HsmPlatform } from './model.ts';

export interface HsmInstance {
  readonly prefix: string;
  readonly model: string;
  readonly slots: readonly number[];
  readonly args: HsmArgs;
  /** Of its process; undefined if it runs in a thread. */
  readonly isolation: Isolation | undefined;
}

export function hsmInstances(config: HsmConfig, env: NodeJS.ProcessEnv): readonly HsmInstance[] {
  const models = config.map(modelOf);
  const longest = longestDeadline(config);
  const libraries = config.map(({ library }, index) => libraryOf(models[index] as HsmModel, library, env));
  // Another text, or another variable, may be another set of tokens.
  const uses = models.map((model, index) => JSON.stringify([libraries[index], initializeText(model, env), environment(model, env)]));
  const threaded = config.map(
    ({ isolation }, index) => (isolation ?? (libraries.indexOf(libraries[index] as string) === index ? 'thread' : 'process')) === 'thread',
  );
  return config.map((instance, index) => {
    const model = models[index] as HsmModel;
    const library = libraries[index] as string;
    const sharers = libraries.filter((other, at) => threaded[at] && other === library).length;
    const prefix = prefixOf(instance);
    return {
      prefix,
      model: instance.hsm_model,
      slots: instance.hsm_slot,
      args: {
        prefix,
        library,
        slots: instance.hsm_slot.map((number, at) => ({ number, pin: instance.hsm_password[at] as string | SecretFile })),
        peers: peersOf(config, uses, index),
        admins: instance.hsm_admin.map(composed),
        probeSeconds: instance.probe_seconds,
        ...(instance.deadline_seconds < longest && { deadlineMs: instance.deadline_seconds * 1000 }),
        ...{ initializeText: initializeText(model, env), quirks: model.quirks ?? {}, hints: model.hints ?? {} },
        alone: !threaded[index] || sharers === 1,
        stallMs: instance.deadline_seconds * 1000,
        isolated: !threaded[index],
        threads: instance.threads ?? model.quirks?.threads ?? 1,
      },
      isolation: threaded[index] ? undefined : { env: environment(model, env), stuckMs: instance.deadline_seconds * 1000 },
    };
  });
}

/** @param uses how each instance uses its library */
function peersOf(config: HsmConfig, uses: readonly string[], index: number): HsmPeer[] {
  return config.flatMap((other, at) =>
    at !== index && uses[at] === uses[index] ? [{ prefix: prefixOf(other), slots: other.hsm_slot, isBefore: at < index }] : [],
  );
}

/** Of all instances, in seconds; a call to one with a shorter limit has a timer of its own. */
export function longestDeadline(config: HsmConfig): number {
  return Math.max(1, ...config.map(({ deadline_seconds: seconds }) => seconds));
}

function modelOf({ model, hsm_model: name }: HsmConfig[number]): HsmModel {
  if (!model) throw new TypeError(`the HSM model ${name} was not looked up`);
  return model;
}

function prefixOf({ prefix, hsm_model: name }: HsmConfig[number]): string {
  if (prefix === undefined) throw new TypeError(`the instance of ${name} was given no prefix`);
  return prefix;
}

/** In this order: the configuration, the variable of the model, its usual places. */
function libraryOf({ libraries, libraryVariable }: HsmModel, configured: string, env: NodeJS.ProcessEnv): string {
  const named = configured === '' ? ((libraryVariable && env[libraryVariable]) ?? '') : configured;
  const path = named === '' ? (libraries[process.platform as HsmPlatform]?.find((candidate) => existsSync(candidate)) ?? '') : named;
  // Two paths of one file load the same library, with the same Cryptoki state.
  return path !== '' && existsSync(path) ? realpathSync(path) : path;
}

function environment({ env: names }: HsmModel, env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function initializeText({ initializeText: text }: HsmModel, env: NodeJS.ProcessEnv): string | undefined {
  return text?.replaceAll(/\{(\w+)\}/g, (_, name: string) => env[name] ?? '');
}
