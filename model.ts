// `npm run model -- list | pull ID | verify [NAME] | remove NAME`: the language models in the data folder. Only `pull` uses the network, and only the hub.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Precision } from './actors/model/api.ts';
import { nameOf, requireHubId, requireModelName, requireRevision } from './actors/model/hub/address.ts';
import { HubError, throwUnwritable, UsageError } from './actors/model/hub/hub-error.ts';
import { installedModels, removeModel, verifyModel } from './actors/model/hub/installed.ts';
import { PRECISIONS } from './actors/model/hub/listing.ts';
import { amount, progressOn } from './actors/model/hub/progress.ts';
import { pull } from './actors/model/hub/pull.ts';
import { EXIT } from './command/exit.ts';
import { ConfigError } from './kernel/config/config-error.ts';
import { lockFile } from './kernel/disk/file-lock.ts';
import { becomeOwnerOf } from './kernel/disk/owner.ts';
import { createPrivateFolder } from './kernel/disk/private-file.ts';
import { OWN_COMMANDS } from './kernel/own-commands.ts';
import type { AiConfig } from './plugins/ai/config.ts';

const USAGE = `usage: ${OWN_COMMANDS.model} list
       ${OWN_COMMANDS.model} pull OWNER/NAME [--name NAME] [--revision REVISION] [--precision ${PRECISIONS.join('|')}]
       ${OWN_COMMANDS.model} verify [NAME]
       ${OWN_COMMANDS.model} remove NAME
Also: --config FILE, --data-dir FOLDER`;

const OPTIONS = {
  config: { type: 'string' },
  'data-dir': { type: 'string' },
  name: { type: 'string' },
  revision: { type: 'string' },
  precision: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

function parse(args: string[]) {
  try {
    const parsed = parseArgs({ args, options: OPTIONS, allowPositionals: true, tokens: true });
    const given = parsed.tokens.flatMap((token) => (token.kind === 'option' ? [token] : []));
    const empty = given.find(({ value }) => value === '');
    if (empty) throw new UsageError(`${empty.rawName}: needs a value`);
    const twice = given.find(({ name }, at) => given.findIndex((other) => other.name === name) < at);
    if (twice) throw new UsageError(`${twice.rawName}: was given more than once; give it once`);
    return parsed;
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

type Options = ReturnType<typeof parse>['values'];

interface Surroundings {
  readonly ai: AiConfig;
  /** Of all models. */
  readonly folder: string;
}

/** Arguments were checked by now: the sources of the whole server are loaded for a right command only. */
async function surroundings({ config, 'data-dir': dataDir }: Options): Promise<Surroundings> {
  const [{ configure }, { BUILT_IN }] = await Promise.all([import('./kernel/start/configure.ts'), import('./plugins/index.ts')]);
  const argv = [...(config === undefined ? [] : ['--config', config]), ...(dataDir === undefined ? [] : ['--data-dir', dataDir])];
  const configured = await configure({ plugins: BUILT_IN, argv, env: process.env });
  return { ai: configured.sections.get('model') as AiConfig, folder: join(resolve(configured.dataDir), 'models') };
}

async function list({ ai, folder }: Surroundings): Promise<void> {
  const installed = await installedModels(folder);
  for (const { name, id, manifest, problem, bytes } of installed) {
    const use = ai.models.find((model) => model.id === name);
    const origin = manifest ? `${id ?? 'pulled'} at ${manifest.revision.slice(0, 12)}, ${amount(bytes)}` : (problem ?? 'not pulled');
    console.log(`${name}: ${origin}; ${use ? `used for ${use.task}` : `not used: add [[ai.models]] with id = "${name}"`}`);
  }
  const missing = ai.models.filter(({ engine, folder: own, id }) => engine === 'onnx' && own === '' && !installed.some(({ name }) => name === id));
  for (const { id } of missing) console.log(`${id}: configured, not installed: ${OWN_COMMANDS.model} pull OWNER/NAME --name ${id}`);
  if (installed.length + missing.length === 0) console.log(`no models in ${folder}`);
}

async function install(given: string, options: Options): Promise<void> {
  const { precision = 'auto', name: own } = options;
  if (!PRECISIONS.includes(precision as Precision)) throw new UsageError(`--precision must be one of ${PRECISIONS.join(', ')}`);
  const id = requireHubId(given);
  const name = own === undefined ? nameOf(id) : requireModelName(own);
  const revision = requireRevision(options.revision ?? 'main');
  const { ai, folder } = await surroundings(options);
  if (ai.model_hub_token === '')
    throw new HubError('[ai] model_hub_token is missing: the hub wants an access token; text, { file = "PATH" } or { env = "NAME" }');
  const hub = { url: ai.model_hub, token: ai.model_hub_token };
  const onProgress = progressOn(process.stderr, () => performance.now());
  becomeOwnerOf(folder);
  const manifest = await onDisk(folder, () => {
    createPrivateFolder(folder);
    return alone(folder, name, () => pull({ hub, id, revision, precision: precision as Precision, folder, name, onProgress }));
  });
  console.log(`${name}: installed ${id} at ${manifest.revision}`);
}

async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throwUnwritable(error, folder);
    throw error;
  }
}

const lockOf = (folder: string, name: string) => join(folder, `.${name}.lock`);

/** Two that write the files of one model spoil them, and what has arrived is lost. The file stays, and is no model. */
async function alone<T>(folder: string, name: string, work: () => Promise<T>): Promise<T> {
  const lock = lockFile(lockOf(folder, name));
  if (!lock) throw new HubError(`${name}: another command is working on this model; wait for it, or stop it`);
  return work().finally(() => lock.release());
}

async function verify(names: readonly string[], { folder }: Surroundings): Promise<void> {
  const all =
    names.length > 0 ? names : (await installedModels(folder)).flatMap(({ name, manifest, problem }) => (manifest || problem !== undefined ? [name] : []));
  if (all.length === 0) console.log(`no pulled models in ${folder}`);
  for (const name of all) {
    const differences = await verifyModel(folder, name);
    console.log(differences.length === 0 ? `${name}: all files are as they were pulled` : `${name}: changed`);
    for (const difference of differences) console.log(`  ${difference}`);
    if (differences.length > 0) process.exitCode = 1;
  }
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  const [command, given, ...more] = positionals;
  if (values.help) return console.log(USAGE);
  if (more.length > 0) throw new UsageError(`too many arguments\n${USAGE}`);
  if (command === 'list' && given === undefined) return list(await surroundings(values));
  if (command === 'pull' && given !== undefined) return install(given, values);
  if (command === 'verify') return verify(given === undefined ? [] : [requireModelName(given)], await surroundings(values));
  if (command !== 'remove' || given === undefined) throw new UsageError(USAGE);
  const name = requireModelName(given);
  const { folder } = await surroundings(values);
  becomeOwnerOf(folder);
  const remove = () => removeModel(folder, name);
  // Without the file of its lock nobody pulls it, and a name that is wrong leaves no file.
  await onDisk(folder, () => (existsSync(lockOf(folder, name)) ? alone(folder, name, remove) : remove()));
  console.log(`${name}: removed`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  // Problems of the network keep their text only; a stack would not help the operator.
  if (error instanceof HubError) console.error(error.message);
  else if (error instanceof ConfigError) console.error(`gatehouse: ${error.message}`);
  else console.error(`the work failed: ${(error as Error).message}`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : 1;
});
