// What can be checked of the documents: links lead somewhere, config.toml is the defaults, every fault and flag is told, nothing private is named.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import type { TSchema } from 'typebox';
import { test } from 'uvu';
import { faultTables } from '../kernel/catalog/faults.ts';
import { KERNEL_FLAGS } from '../kernel/config/flags.ts';
import { leavesOf } from '../kernel/config/schema.ts';
import { KERNEL_SECTIONS, MODULES } from '../kernel/config/sections.ts';
import { BUILT_IN } from '../plugins/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENTS = globSync('{*,docs/*}.md', { cwd: root }).sort();
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const committed = globSync('{*,.ci/*,docs/*,{client,command,kernel,kmip,crypto,jose,text,plugins,actors,test,bench,soak}/**/*}.{ts,mjs,json,md,toml}', {
  cwd: root,
});

/** The anchor that a heading gets: its words in lower case, joined by hyphens. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

test('every link in the documents leads to a file and a heading that exist', () => {
  for (const document of DOCUMENTS) {
    for (const [, target, anchor] of read(document).matchAll(/\]\(([^)#]*)(?:#([^)]+))?\)/g)) {
      if (target?.startsWith('http')) continue;
      const file = target ? join(dirname(document), target) : document;
      assert.ok(existsSync(join(root, file)), `${document}: ${target}`);
      if (anchor) assert.ok(anchorsOf(read(file)).includes(anchor), `${document}: ${target}#${anchor}`);
    }
  }
});

test('the README has two screens and leads to every page', () => {
  const text = read('README.md');
  assert.ok(text.split('\n').length <= 100, 'README.md is longer than two screens: move details to a page in docs/');
  for (const page of DOCUMENTS) assert.ok(page === 'README.md' || text.includes(`](${page})`), `README.md does not link to ${page}`);
});

test('the table of faults in docs/faults.md is the tables in the code', () => {
  const told = [...read('docs/faults.md').matchAll(/^\| ([A-Z][A-Z0-9_]+) \| (\d{3}) \| (.+) \|$/gm)].map(
    ([, code, status, message]) => `${code} ${status} ${message}`,
  );
  const known = Object.entries(faultTables(BUILT_IN)).map(([code, { status, message }]) => `${code} ${status} ${message}`);
  assert.deepEqual(told.sort(), known.sort());
});

test('config.toml holds every key with its default and a comment, and no other', () => {
  const text = read('config.toml');
  const file = parse(text) as Record<string, unknown>;
  const schemas: Record<string, TSchema> = {
    ...KERNEL_SECTIONS,
    ...Object.fromEntries(BUILT_IN.map((plugin) => [plugin.section ?? plugin.name, plugin.config])),
  };
  const at = (path: readonly string[]) => path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], file);
  const known = Object.entries(schemas).flatMap(([name, schema]) => leavesOf(schema, [name]));
  for (const { path, schema } of known) {
    assert.deepEqual(at(path), (schema as { default?: unknown }).default, path.join('.'));
    assert.match(text, new RegExp(`^${path.at(-1)} = .*# .{10,}$`, 'm'), path.join('.'));
  }
  const keys = (value: unknown, path: readonly string[]): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, child]) => keys(child, [...path, key]))
      : [path.join('.')];
  assert.deepEqual(keys(file, []).sort(), known.map(({ path }) => path.join('.')).sort());
});

test('the keys of the tables that may be repeated are told in comments', () => {
  const text = read('config.toml');
  const configOf = (plugin: string) => BUILT_IN.find(({ name }) => name === plugin)?.config as TSchema;
  const providers = (configOf('keys') as unknown as { properties: Record<string, TSchema> }).properties['identity_providers'];
  const ai = (configOf('model') as unknown as { properties: Record<string, TSchema> }).properties;
  const tables = {
    plugins: KERNEL_SECTIONS.plugins,
    hsm_models: MODULES,
    hsm_instances: configOf('hsm'),
    'keys.identity_providers': providers,
    'ai.documentary_bases': ai['documentary_bases'],
    'ai.models': ai['models'],
  };
  for (const [section, schema] of Object.entries(tables)) {
    assert.ok(text.includes(`# [[${section}]]`), section);
    for (const key of Object.keys((schema as unknown as { items: { properties: object } }).items.properties))
      assert.match(text, new RegExp(`^# ${key} = `, 'm'), key);
  }
});

test('the examples of the documents name flags that exist', () => {
  const commands = DOCUMENTS.flatMap((document) => [...read(document).matchAll(/npm start -- ([^`#\n]+)/g)].map(([, command]) => command as string));
  const flags = commands.flatMap((command) => command.match(/--[a-z][a-z-]+/g) ?? []);
  const declared = new Set([...Object.keys(KERNEL_FLAGS), 'help', ...BUILT_IN.flatMap((plugin) => Object.keys(plugin.flags ?? {}))].map((name) => `--${name}`));
  for (const flag of ['--hsm-model', '--reset-admin', '--backup', '--restore', '--rotate-kek']) assert.ok(flags.includes(flag), flag);
  for (const flag of flags) assert.ok(declared.has(flag), flag);
});

test('every variable that the server and the command read by its name is told in the documents', () => {
  const sources = globSync('{kernel,plugins,actors,command}/**/*.ts', { cwd: root }).map(read).join();
  const told = globSync('{README.md,docs/*.md}', { cwd: root }).map(read).join();
  for (const [name] of sources.matchAll(/GATEHOUSE_[A-Z_]*[A-Z]\b/g)) assert.ok(new RegExp(`${name}\\b`).test(told), name);
});

test('every key and section of the configuration that the documents name exists', () => {
  const file = parse(read('config.toml').replace(/^# (?=\[\[|\w+ = )/gm, '')) as Record<string, unknown>;
  const at = (path: string) => path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], file);
  let found = 0;
  for (const document of DOCUMENTS.filter((name) => name !== 'CHANGELOG.md')) {
    for (const [, section, key] of read(document).matchAll(/`\[{1,2}([a-z_.]+)\]{1,2}(?: ([a-z_0-9]+))?/g)) {
      found++;
      assert.notEqual(at(key === undefined ? (section as string) : `${section}.${key}`), undefined, `${document}: [${section}] ${key ?? ''}`);
    }
  }
  assert.ok(found > 30);
});

test('the map in CONTRIBUTING shows every folder of the sources', () => {
  const folders = new Set(committed.filter((file) => /^(kernel|kmip|crypto|plugins|actors)\/.+\.ts$/.test(file)).map((file) => dirname(file)));
  const shown = [...folders].filter((folder) => folder.split('/').length <= 2 || /^(actors|kernel)\//.test(folder));
  assert.ok(shown.length > 30);
  const text = read('CONTRIBUTING.md');
  for (const folder of shown) assert.ok(text.includes(`](${folder})`), `CONTRIBUTING.md does not link to ${folder}: add it to the map`);
});

test('every command of package.json leads to a file that is there, and CONTRIBUTING tells it', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const entries = new Map([...read('launch.mjs').matchAll(/^ {2}([a-z]+): '([^']+)',$/gm)].map(([, name, file]) => [name, file as string]));
  const launched = Object.entries(scripts).filter(([, command]) => command.startsWith('exec node launch.mjs '));
  assert.deepEqual(launched.map(([, command]) => command.split(' ')[3]).sort(), [...entries.keys()].sort());
  for (const file of entries.values()) assert.ok(existsSync(join(root, file)), file);
  const told = read('CONTRIBUTING.md');
  for (const name of Object.keys(scripts)) assert.ok(name === 'start' || told.includes(name === 'test' ? 'npm test' : `npm run ${name}`), name);
});

test('the version is one, and the changelog has a place for what comes', () => {
  assert.equal(JSON.parse(read('package.json')).version, JSON.parse(read('package-lock.json')).version);
  assert.match(read('CHANGELOG.md'), /^## Unreleased$/m);
});

test('nothing that is committed names a machine, a registry or a folder of somebody', () => {
  const forbidden = /registry\.npmjs|\/work\/(main|shared|\.)|\/root\/|"resolved":/;
  assert.ok(committed.length > 100);
  for (const file of committed) {
    if (file === 'test/documents.test.ts') continue;
    const found = forbidden.exec(read(file))?.[0];
    assert.equal(found, undefined, `${file}: ${found}`);
  }
});

test.run();
