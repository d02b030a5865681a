// The configuration in use, as operators see it: where each value comes from, and no secret of any kind of section.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Type from 'typebox';
import { test } from 'uvu';
import { parseFlags } from '../../../kernel/config/flags.ts';
import { loadSections, readConfigFile } from '../../../kernel/config/load.ts';
import { Secret, Section } from '../../../kernel/config/schema.ts';
import { KERNEL_SECTIONS } from '../../../kernel/config/sections.ts';
import { BUILT_IN } from '../../../plugins/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-settings-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const SCHEMAS = {
  http: Section({ host: Type.String({ default: '127.0.0.1' }), port: Type.Integer({ default: 8443 }), proxy: Type.String({ default: '' }) }),
  store: Section({ url: Secret({ default: 'sqlite:x.db' }), key: Secret({ default: '' }), limits: Section({ rows: Type.Integer({ default: 5 }) }) }),
  models: Type.Array(Type.Object({ name: Type.String(), url: Type.String(), keys: Type.Array(Secret()) }), { default: [] }),
  hsm: Section({ password: Type.Array(Secret(), { default: [] }), model: Type.String({ default: '' }) }),
};

function loaded(toml: string, env: NodeJS.ProcessEnv = {}, argv: readonly string[] = [], fallbacks: Readonly<Record<string, unknown>> = {}) {
  const path = join(folder, 'config.toml');
  writeFileSync(path, toml);
  const { settings, problems } = loadSections({ file: readConfigFile(path), env, flags: parseFlags(argv, {}) }, SCHEMAS, fallbacks);
  assert.deepEqual(problems, []);
  return { path, all: new Map(settings.map(({ key, value, source }) => [key, [value, source]])) };
}

test('each key tells whether it comes from the file, a variable, a flag, or nowhere', () => {
  const { path, all } = loaded(
    '[http]\nhost = "::1"\nport = 1\n[store.limits]\nrows = 7\n',
    { GATEHOUSE_HTTP_PROXY: 'on', GATEHOUSE_HTTP_PORT: '2' },
    ['--port', '3'],
    {
      hsm: { model: 'soft_hsm' },
    },
  );
  assert.deepEqual(
    ['http.host', 'http.port', 'http.proxy', 'store.limits.rows', 'models', 'hsm.model'].map((key) => all.get(key)),
    [
      ['::1', path],
      [3, '--port'],
      ['on', 'GATEHOUSE_HTTP_PROXY'],
      [7, path],
      [[], 'default'],
      ['soft_hsm', 'flags'],
    ],
  );
});

test('no secret is told, in whatever way it is given', () => {
  writeFileSync(join(folder, 'secret'), 'hush-file');
  const { path, all } = loaded(
    '[http]\nproxy = "https://user:hush-info@proxy.test/"\n[store]\nurl = { file = "secret" }\n[hsm]\npassword = ["hush-pin", { env = "PIN" }]\n[[models]]\nname = "m"\nurl = "https://hush-user@m.test"\nkeys = ["hush-key"]\n',
    { PIN: 'hush-variable' },
  );
  assert.ok(!JSON.stringify([...all]).includes('hush'), JSON.stringify([...all]));
  assert.deepEqual(all.get('store.url'), ['(secret)', path]);
  assert.deepEqual(all.get('store.key'), ['', 'default']);
  assert.deepEqual(all.get('hsm.password'), [['(secret)', '(secret)'], path]);
  assert.deepEqual(all.get('models'), [[{ name: 'm', url: 'https://(secret)@m.test', keys: ['(secret)'] }], path]);
  assert.deepEqual(all.get('http.proxy'), ['https://(secret)@proxy.test/', path]);
});

test('every key of the product whose name says that it is a secret is marked as one', () => {
  const schemas = { ...KERNEL_SECTIONS, ...Object.fromEntries(BUILT_IN.map(({ name, config }) => [name, config])) };
  const found: string[] = [];
  const look = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, child] of Object.entries((schema as { properties?: object }).properties ?? {})) {
      const { type, secret, items } = child as { type?: string; secret?: boolean; items?: { secret?: boolean } };
      const isText = type === 'string' || (type === 'array' && (items as { type?: string })?.type === 'string');
      if (isText && /(password|secret|token|pin|api_key|root_key)$/.test(key) && !secret && !items?.secret) found.push(`${path}.${key}`);
      look(child, `${path}.${key}`);
    }
    look((schema as { items?: unknown }).items, `${path}[]`);
  };
  for (const [name, schema] of Object.entries(schemas)) look(schema, name);
  assert.deepEqual(found, []);
});

test.run();
