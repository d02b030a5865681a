// External plugins: one loaded by path works like a built-in; a broken one stops the boot with its name and all its problems.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import { ConfigError } from '../../kernel/config/config-error.ts';
import { definePlugin } from '../../kernel/plugin.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { signInAdmin, startServer } from '../server.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const load = (file: string, more = '') => `${more}\n[[plugins]]\nmodule = "${path(`../fakes/${file}`)}"\n`;

async function problemsOf(config: string): Promise<readonly string[]> {
  const error = await startServer({ config }).then(
    (server) => server.end().then(() => undefined),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigError, String(error));
  return error.problems;
}

test('the sample plugin: route, actor, configuration, migration, fault, metrics', async () => {
  const server = await startServer({ config: load('sample/plugin.ts', '[sample]\ngreeting = "good day"\n') });
  const greet = () => server.ask('GET', '/sample/Ada');
  assert.deepEqual((await greet()).body, { text: 'good day, Ada (1)' });
  assert.deepEqual([(await greet()).status, (await greet()).status], [200, 200]);
  const refused = await greet();
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.message, refused.headers['retry-after']],
    [429, 'SAMPLE_TOO_OFTEN', 'greeted too often', '1'],
  );
  assert.equal((await server.ask('POST', '/sample', { body: { name: 'x' } })).status, 401);
  const cookie = await signInAdmin(server);
  assert.deepEqual((await server.ask('POST', '/sample', { cookie, body: { name: 'x' } })).body, { name: 'x', by: 'admin' });
  assert.match((await server.ask('GET', '/metrics')).text, /gatehouse_actor_calls_total\{actor="greeter",outcome="ok"\} 3/);
  await server.end();
});

test('its configuration is held against its schema like any other, and set by its variables', async () => {
  assert.deepEqual(await problemsOf(load('sample/plugin.ts', '[sample]\nlimit = 0\ngreting = "x"\n')), [
    'sample.greting: unknown key (known: greeting, limit)',
    'sample.limit: must be 1 or more',
  ]);
  const server = await startServer({ config: load('sample/plugin.ts'), env: { GATEHOUSE_SAMPLE_GREETING: 'ahoy' } });
  assert.deepEqual((await server.ask('GET', '/sample/Bob')).body, { text: 'ahoy, Bob (1)' });
  await server.end();
});

test('a broken plugin: every problem with its name', async () => {
  assert.deepEqual(await problemsOf(load('broken/plugin.ts')), [
    'plugin broken: routes: must be a function',
    'plugin broken: rotues: unknown member',
    'plugin broken: faults.WRONG_PREFIX: must begin with BROKEN_',
    'plugin broken: faults.BROKEN_STATUS: status must be an integer from 400 to 599',
    'plugin broken: faults.BROKEN_STATUS: must have a message',
    'plugin broken: migrations[0]: id must be 1',
    'broken.size: is missing',
  ]);
});

test('routes without authentication, malformed routes, and paths that are already used', async () => {
  assert.deepEqual(await problemsOf(load('broken/routes.ts')), [
    'plugin grabby: route GET /silent: auth must be a list of kinds of credential, or "none"',
    'plugin grabby: route FETCH no-slash: the path must begin with / and contain no spaces, ? or #',
    'plugin grabby: route FETCH no-slash: the method must be GET, POST, PUT or DELETE',
    'plugin grabby: route FETCH no-slash: handle must be a function',
    'plugin grabby: route GET /whoami: is already used by plugin auth; choose another path',
    'plugin grabby: route POST /health: is already used by the kernel; choose another path',
  ]);
});

test('schemas of routes that are not valid or cannot be compiled', async () => {
  assert.deepEqual(await problemsOf(load('unfit-schemas.ts')), [
    'plugin unfit: route POST /unfit: the schema of its body is invalid: data/properties/a/maxLength must be integer',
    'plugin unfit: route GET /unfit: the schema of its query is invalid: strict mode: unknown keyword: "longest"',
    'plugin unfit: route GET /unfit/{a}: the schema of its path is invalid: data/properties/a/type must be equal to one of the allowed values, data/properties/a/type must be array, data/properties/a/type must match a schema in anyOf',
  ]);
});

test('a missing module, a module that is not a plugin, and names that are already used', async () => {
  const missing = await problemsOf('[[plugins]]\nmodule = "./nowhere.ts"\n');
  assert.match(missing[0] as string, /^plugin \.\/nowhere\.ts: cannot be loaded: .*Cannot find module/);
  const unknown = await problemsOf('[[plugins]]\nmodule = "no-such-package-anywhere"\n');
  assert.match(unknown[0] as string, /^plugin no-such-package-anywhere: cannot be loaded: /);
  assert.deepEqual(await problemsOf(load('probe.ts')), [`plugin ${path('../fakes/probe.ts')}: the module must have a default export made by definePlugin`]);
  const twin = definePlugin({
    name: 'auth',
    section: 'http',
    config: { type: 'object', default: {} } as never,
    faults: { AUTH_DENIED: { status: 400, message: 'x' } },
  });
  await assert.rejects(startServer({ plugins: [...BUILT_IN, twin] }), (error: ConfigError) => {
    assert.deepEqual(error.problems, [
      'plugin auth: the name auth is already used by auth; choose another one',
      'plugin auth: the section http is already used by the kernel; choose another one',
      'plugin auth: the fault code AUTH_DENIED is already used by auth; choose another one',
    ]);
    return true;
  });
});

test('an actor that fails to start unwinds what was started and says why', async () => {
  const bad = definePlugin({
    name: 'bad',
    config: { type: 'object', default: {} } as never,
    actors: () =>
      ({
        probe: { kind: 'pinned', module: new URL('../fakes/probe.actor.ts', import.meta.url), deadlineMs: 1_000, instances: { a: { broken: true } } },
      }) as never,
  });
  await assert.rejects(startServer({ plugins: [...BUILT_IN, bad] }), { code: 'PROBE_BROKEN' });
  // The data folder and the port are free again, and the threads are gone: another server starts at once.
  const server = await startServer();
  assert.equal((await server.ask('GET', '/ready')).status, 200);
  await server.end();
});

test.run();
