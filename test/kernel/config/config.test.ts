// The configuration: precedence, strictness, secrets, and every problem at once.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from 'typebox';
import { test } from 'uvu';
import { ConfigError } from '../../../kernel/config/config-error.ts';
import { leavesOf } from '../../../kernel/config/schema.ts';
import { textOfSecret } from '../../../kernel/config/secret-file.ts';
import { KERNEL_SECTIONS } from '../../../kernel/config/sections.ts';
import { validate } from '../../../kernel/config/validate.ts';
import { configure } from '../../../kernel/start/configure.ts';
import Type from '../../../kernel/type.ts';
import type { HsmInstanceConfig } from '../../../plugins/hsm/config.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { startServer, temporaryFolder } from '../../server.ts';

const folder = temporaryFolder();

function write(text: string): string {
  const path = join(folder, 'config.toml');
  writeFileSync(path, text);
  return path;
}

const load = (text: string, argv: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  configure({ plugins: BUILT_IN, argv: ['--config', write(text), ...argv], env });

async function problems(text: string, argv: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  const error = await load(text, argv, env).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigError, String(error));
  return error.problems;
}

test('flag beats variable beats file beats default', async () => {
  const text = '[http]\nport = 1111\nhost = "0.0.0.0"\nbody_limit = 2048\n';
  const { config } = await load(text, ['--port', '3333'], { GATEHOUSE_HTTP_PORT: '2222', GATEHOUSE_HTTP_HOST: '::1' });
  assert.deepEqual([config.http.port, config.http.host, config.http.body_limit, config.http.request_timeout], [3333, '::1', 2048, 30]);
  assert.ok(Object.isFrozen(config.http) && Object.isFrozen(config.http.tls));
});

test('an actor that gains nothing by a process, or has a word of its own for it, is refused by a sentence', async () => {
  const text = '[actors]\nprocesses = ["pasword", "kmip", "session", "password", "hsm", "model", "directory"]\n';
  const error = await startServer({ config: text }).then(
    (server) => server.end(),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigError, String(error));
  const because = (at: number, name: string, reason: string) => `actors.processes[${at}]: the actor ${name} gets no process, because ${reason}`;
  assert.deepEqual(error.problems, [
    'actors.processes[0]: there is no actor pasword; those that may have processes are identity, library, password, text, tokenize',
    because(1, 'kmip', '[keys] placement says where it lives'),
    because(2, 'session', 'it answers every request from memory: [auth] placement says where'),
    because(4, 'hsm', 'isolation in [[hsm_instances]] says it for each of them'),
    because(5, 'model', 'it runs every model in a process already'),
    because(6, 'directory', 'it runs no native code of its own, and every sign-in and right waits for it'),
  ]);
});

test('variables are read by the type of their key', async () => {
  const env = { GATEHOUSE_METRICS_ALLOW: '10.0.0.0/8, 192.168.0.1', GATEHOUSE_HTTP_TLS_CLIENT_CA: '/ca.pem', GATEHOUSE_AUDIT_RETENTION_DAYS: '7' };
  const { config } = await load('', [], env);
  assert.deepEqual([config.metrics.allow, config.http.tls.client_ca, config.audit.retention_days], [['10.0.0.0/8', '192.168.0.1'], '/ca.pem', 7]);
  assert.deepEqual(Object.keys(env), []);
  assert.deepEqual((await load('', [], { GATEHOUSE_HTTP_PROT: '1' })).warnings, ['GATEHOUSE_HTTP_PROT: matches no key of the configuration and is ignored']);
  assert.deepEqual((await load('', [], { GATEHOUSE_DATA_DIR: 'data', GATEHOUSE_PROFILE_DIR: 'profiles' })).warnings, []);
});

const SECTIONS = { ...KERNEL_SECTIONS, ...Object.fromEntries(BUILT_IN.map(({ section, name, config }) => [section ?? name, config])) };

/** The schemas below one that have a member. */
function having(member: string, schema: unknown): TSchema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const below = Object.values(schema).flatMap((each) => having(member, each));
  return member in schema ? [schema as TSchema, ...below] : below;
}

test('a text of a wrong form is told in words, not as a regular expression', () => {
  for (const member of ['anyOf', 'oneOf', 'const', 'not', 'format']) assert.deepEqual(having(member, SECTIONS), [], 'the message has no words');
  const forms = having('pattern', SECTIONS);
  assert.ok(forms.length > 8);
  for (const schema of forms) assert.match(validate('\n', schema, 'key').problems.join('\n'), /^key: must be (?!match|must)[^^]+$/);
});

test('a value of another type, or out of bounds, is told with what to write, for each key', () => {
  const wrong = ['30s', 1.5, -1e99, 1e99, true, '', [], {}, [1], ['', ''], ['a', 'a']];
  const leaves = Object.values(SECTIONS).flatMap((schema) => leavesOf(schema));
  const told = new Set(leaves.flatMap(({ schema }) => wrong.flatMap((value) => validate(value, schema, 'key').problems)));
  assert.ok(told.has('key: must be a whole number, without quotation marks and unit') && told.size > 20);
  const ofValidator = /\bNOT\b|[<>]=|must be (integer|number|string|array|boolean|object)\b|pattern|schema/;
  assert.deepEqual(
    [...told].filter((problem) => ofValidator.test(problem)),
    [],
  );
  const unique = validate([1, 2, 1], Type.Array(Type.Integer(), { uniqueItems: true }), 'key').problems;
  assert.deepEqual(unique, ['key: must not have an entry twice ([0] and [2] are the same)']);
});

test('one bracket too many or too few is told as such', async () => {
  assert.deepEqual(await problems('[[http]]\nport = 1\n[auth]\n[[auth.quotas]]\n[hsm_instances]\nhsm_slot = [0]\n[ai.models]\nid = "x"\n'), [
    'auth.quotas: must be one table: [auth.quotas], not [[auth.quotas]]',
    'hsm_instances: must be a list of tables, each of which begins with [[hsm_instances]]',
    'ai.models: must be a list of tables, each of which begins with [[ai.models]]',
    'http: must be one table: [http], not [[http]]',
  ]);
});

test('a key in front of all sections is told with the sections that have it', async () => {
  assert.deepEqual(await problems('port = 9443\nrealm = "a"\nnothing = 1\n'), [
    'port: stands in no section; write it below the line of its section, [http]',
    'realm: stands in no section; write it below the line of its section, [keys]',
    'nothing: stands in no section; write it below the line of its section',
  ]);
});

test('a word that a key does not take is told with those that it takes', async () => {
  const keys = Object.entries(SECTIONS).flatMap(([name, schema]) => leavesOf(schema, [name]).filter((leaf) => !('type' in leaf.schema)));
  assert.ok(keys.length > 4);
  const env = Object.fromEntries(keys.map(({ path }) => [`GATEHOUSE_${path.join('_').toUpperCase()}`, 'nowhere']));
  const told = (await problems('', [], env)).map((problem) => problem.replace(/(?<=: must be one of )\w+(, \w+)+$/, ''));
  assert.deepEqual(told.sort(), keys.map(({ path }) => `${path.join('.')} (GATEHOUSE_${path.join('_').toUpperCase()}): must be one of `).sort());
});

test('every problem is reported at once', async () => {
  const text = '[http]\nprot = 1\nport = "x"\n[htpp]\na = 1\n[auth]\nissuer = ""\n[log]\nlevel = "loud"\n[metrics]\nallow = ["nowhere"]\n';
  assert.deepEqual(await problems(text, ['positional', '--nope'], { GATEHOUSE_HTTP_BODY_LIMIT: 'many' }), [
    'positional: is not a flag; --help lists the flags',
    '--nope: unknown flag; --help lists the flags',
    'htpp: unknown section (known: auth, hsm_instances, keys, tokenize, ai, docs, console, hsm_models, http, store, actors, log, metrics, tracing, audit, plugins)',
    'GATEHOUSE_HTTP_BODY_LIMIT: must be a number',
    'auth.issuer: must not be empty',
    'http.prot: unknown key (known: host, port, threads, stuck_seconds, trusted_proxies, proxy_protocol, body_limit, request_timeout, write_timeout, drain_seconds, caller_memory, total_memory, tls)',
    'http.port: must be a whole number, without quotation marks and unit',
    'log.level: must be one of debug, info, warn, error, silent',
    'metrics.allow: nowhere: must be an IP address or a network such as 10.0.0.0/8',
  ]);
});

test('a problem with what a variable or a flag gives names it', async () => {
  assert.deepEqual(await problems('[http]\nport = 1\n', ['--port', 'abc'], { GATEHOUSE_AUTH_ISSUER: '', GATEHOUSE_METRICS_ALLOW: '' }), [
    'auth.issuer (GATEHOUSE_AUTH_ISSUER): must not be empty',
    'http.port (--port): must be a whole number, without quotation marks and unit',
  ]);
  assert.deepEqual(await problems('[http]\nport = 0.5\n', [], { GATEHOUSE_HTTP_HOST: 'a b' }), [
    'http.host (GATEHOUSE_HTTP_HOST): must be an address or a name, without spaces and control characters',
    'http.port: must be a whole number, without quotation marks and unit',
  ]);
});

test('an argument that belongs to no flag is not shown where it may be a secret', async () => {
  const url = 'postgres://u:hunter2@h/d';
  assert.deepEqual(await problems('', ['--store-url', url]), ['--store-url: unknown flag; --help lists the flags']);
  assert.deepEqual(await problems('', ['--passwort', 'hunter2']), ['--passwort: unknown flag; --help lists the flags']);
  assert.deepEqual(await problems('', [`--store-url=${url}`, url]), [
    '--store-url: unknown flag; --help lists the flags',
    'an argument: is not a flag; --help lists the flags',
  ]);
});

test('what can be no name of a host to listen on is found as the configuration is read', async () => {
  for (const host of ['a\\u0000b', 'a b', '', ' '])
    assert.match((await problems(`[http]\nhost = "${host}"`)).join(), /^http\.host: must be an address or a name, without/, host);
});

test('an address of no database is found as the configuration is read', async () => {
  for (const url of ['mysql://host/gatehouse', 'gatehouse.db', 'postgres', 'sqlite'])
    assert.deepEqual(await problems(`[store]\nurl = "${url}"`), ['store.url: must begin with sqlite: or postgres://']);
  assert.deepEqual(await problems('[store]\nurl = "sqlite:"'), ['store.url: must name a file in the data folder: sqlite:gatehouse.db']);
  for (const port of ['notaport', '99999999'])
    assert.match((await problems(`[store]\nurl = "postgres://u:hunter2@h:${port}/d"`)).join(), /^store\.url: is no URL: postgres:\/\/user:password@host/);
  assert.deepEqual(await problems('[store]\nurl = "postgres://h/d?sslmode=verify"'), [
    'store.url: sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify',
  ]);
  for (const url of ['postgres:///d?host=/run/postgresql', 'postgres://u:p@/d?host=/run', 'postgres://u:p w%@h/d']) await load(`[store]\nurl = "${url}"`);
  for (const url of ['sqlite:other.db', 'postgres://host/gatehouse', 'postgresql://host/gatehouse']) await load(`[store]\nurl = "${url}"`);
});

test('a text that is no root key is found as the configuration is read, before a database is made', async () => {
  const wrong = 'must be 64 hexadecimal digits, or base64 of 32 bytes';
  const [short, key] = [join(folder, 'short.key'), '00'.repeat(32)];
  writeFileSync(short, `${'00'.repeat(31)}\n`);
  assert.deepEqual(await problems('[http]\nport = "x"\n[store]\nroot_key = { file = "short.key" }\n', ['--rotate-kek', '--new-root-key', `file:${short}`]), [
    'http.port: must be a whole number, without quotation marks and unit',
    `store.root_key: ${wrong}`,
    `--new-root-key: ${wrong}`,
  ]);
  await load(`[store]\nroot_key = "${key}"\n`, ['--rotate-kek', '--new-root-key', Buffer.from(key, 'hex').toString('base64')]);
});

test('an invalid TOML file, a missing file, and flags without values', async () => {
  assert.match((await problems('[http\nport = 1'))[0] as string, /config\.toml: Invalid TOML/);
  await assert.rejects(configure({ plugins: BUILT_IN, argv: ['--config', join(folder, 'none.toml')], env: {} }), /none\.toml: cannot be read \(ENOENT\)/);
  assert.deepEqual(await problems('', ['--port']), ['--port: needs a value']);
  for (const flag of ['--config', '--data-dir', '--backup']) {
    const rejected = configure({ plugins: BUILT_IN, argv: [`${flag}=`], env: {} });
    await assert.rejects(rejected, new RegExp(`${flag}: needs a value`));
  }
  for (const name of ['GATEHOUSE_CONFIG', 'GATEHOUSE_DATA_DIR'])
    assert.match((await problems('', [], { [name]: '' })).join(), new RegExp(`^${name}: is empty`));
  assert.deepEqual(await problems('', ['--port', 'abc']), ['http.port (--port): must be a whole number, without quotation marks and unit']);
  assert.deepEqual(await problems('', ['--port', '99999']), ['http.port (--port): must be 65535 or less']);
});

test('a switch of a plugin is refused with a job that starts no server, and so would pass it over', async () => {
  for (const job of ['--backup', '--restore', '--copy-store'])
    for (const flag of ['--reset-admin', '--accept-hsm-change'])
      await assert.rejects(
        configure({ plugins: BUILT_IN, argv: [flag, job, 'env:JOB'], env: { JOB: 'sqlite:other.db' } }),
        new RegExp(`- ${flag}: has no effect with ${job}, which starts no server; give it at a start$`),
      );
  // The rest of a command line of the server may stay.
  await configure({ plugins: BUILT_IN, argv: ['--backup', 'a', '--port', '0', '--hsm-slot', '0', '--hsm-password', 'env:PIN'], env: { PIN: '1234' } });
  await configure({ plugins: BUILT_IN, argv: ['--rotate-kek', '--reset-admin'], env: {} });
});

test('a flag with one value must not be given twice, even with the same value; repeatable flags add up', async () => {
  assert.deepEqual(
    await problems(
      '',
      ['--port', '1', '--port', '1', '--port=2', '--hsm-model', 'soft_hsm', '--hsm-model', 'other', '--hsm-slot', '0', '--hsm-password', 'env:PIN'],
      { PIN: '1' },
    ),
    ['--port: was given more than once; give it once', '--hsm-model: was given more than once; give it once'],
  );
  assert.deepEqual(await problems('', ['--new-root-key', 'env:NEXT', '--new-root-key', 'file:b', '--rotate-kek', '--rotate-kek'], { NEXT: '00'.repeat(32) }), [
    '--new-root-key: was given more than once; give it once',
  ]);
  assert.deepEqual(await problems('', ['--rotate-kek=false', '--reset-admin=', '--help=no']), [
    '--rotate-kek: takes no value',
    '--reset-admin: takes no value',
    '--help: takes no value',
  ]);
  assert.deepEqual(await problems('', ['--constructor=x', '--toString=x']), [
    '--constructor: unknown flag; --help lists the flags',
    '--toString: unknown flag; --help lists the flags',
  ]);
  const repeated = [
    '--hsm-slot',
    '3',
    '--hsm-slot',
    '1',
    '--hsm-password',
    'env:FIRST',
    '--hsm-password',
    'env:SECOND',
    '--hsm-admin',
    'a',
    '--hsm-admin',
    'b',
  ];
  const { sections } = await load('', repeated, { FIRST: '1234', SECOND: '5678' });
  const [{ hsm_slot, hsm_password, hsm_admin }] = sections.get('hsm') as [HsmInstanceConfig];
  assert.deepEqual(
    [hsm_slot, hsm_password, hsm_admin],
    [
      [3, 1],
      ['1234', '5678'],
      ['a', 'b'],
    ],
  );
});

test('a text that is no UTF-8 is refused, not mangled; a byte order mark is no part of a secret', async () => {
  const [config, pin] = [join(folder, 'latin1.toml'), join(folder, 'utf16')];
  writeFileSync(config, Buffer.from('[auth]\nissuer = "caf\xe9"\n', 'latin1'));
  const told = { problems: [`${config}: is not text in UTF-8`] };
  await assert.rejects(configure({ plugins: BUILT_IN, argv: ['--config', config], env: {} }), told);
  // As PowerShell writes it.
  writeFileSync(pin, Buffer.from('\ufeff1234\r\n', 'utf16le'));
  assert.deepEqual(await problems(`[tracing]\nheaders = { file = "${pin}" }\n`), [`tracing.headers: ${pin} is not text in UTF-8`]);
  assert.throws(() => textOfSecret({ file: pin }), { message: `${pin} is not text in UTF-8` });
  writeFileSync(pin, '\ufeffstraße\r\n');
  assert.equal(textOfSecret({ file: pin }), 'straße');
});

test('a PIN in a file is not read with the configuration, but has to be there; one in a pipe is read', async () => {
  writeFileSync(join(folder, 'pin'), '1234\n');
  writeFileSync(join(folder, 'empty'), '');
  const text = (passwords: string) => `[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [1, 2]\nhsm_password = [${passwords}]\n`;
  const { sections } = await load(text(`{ file = "${join(folder, 'pin')}" }, "5678"`), []);
  assert.deepEqual((sections.get('hsm') as [HsmInstanceConfig])[0].hsm_password, [{ file: join(folder, 'pin') }, '5678']);
  assert.deepEqual(await problems(text(`1234, { file = "${join(folder, 'none')}" }`), []), [
    `hsm_instances[0].hsm_password[1]: ${join(folder, 'none')} cannot be read (ENOENT)`,
    'hsm_instances[0].hsm_password[0]: must be a text, { file = "PATH" } or { env = "NAME" }',
  ]);
  assert.deepEqual(await problems(text(`"", { file = "${join(folder, 'empty')}" }`), []), [
    `hsm_instances[0].hsm_password[1]: ${join(folder, 'empty')} is empty`,
    'hsm_instances[0].hsm_password[0]: must not be empty',
  ]);
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const writer = spawn('sh', ['-c', 'printf 9876 > "$0"', join(folder, 'pipe')], { stdio: 'ignore' });
  const piped = await load(text(`{ file = "${join(folder, 'pipe')}" }, "5678"`), []);
  assert.deepEqual((piped.sections.get('hsm') as [HsmInstanceConfig])[0].hsm_password, ['9876', '5678']);
  if (writer.exitCode === null) await once(writer, 'exit');
});

test('secrets come from files and variables, and the variables are deleted', async () => {
  mkdirSync(join(folder, 'run'), { recursive: true });
  writeFileSync(join(folder, 'run', 'url'), 'postgres://from-a-file\n');
  const env: NodeJS.ProcessEnv = { DB_KEY: 'ab'.repeat(32), OTHER: 'kept' };
  const { config } = await load('[store]\nurl = { file = "run/url" }\nroot_key = { env = "DB_KEY" }\n', [], env);
  assert.deepEqual([config.store.url, config.store.root_key], ['postgres://from-a-file', 'ab'.repeat(32)]);
  assert.deepEqual(env, { OTHER: 'kept' });
  const { config: other } = await load('', [], { GATEHOUSE_STORE_URL: `file:${join(folder, 'run', 'url')}` });
  assert.equal(other.store.url, 'postgres://from-a-file');
  assert.deepEqual(await problems('[store]\nurl = { file = "nope" }\nroot_key = { env = "NOPE" }\n'), [
    'store.url: nope cannot be read (ENOENT)',
    'store.root_key: the variable NOPE is not set',
  ]);
  assert.match((await problems('[store]\nroot_key = { file = "a", env = "b" }\n'))[0] as string, /store\.root_key: must be a text, \{ file = "PATH" \} or/);
});

test('a secret that is to be had from a file or a variable must not be empty, as if there were none', async () => {
  writeFileSync(join(folder, 'nothing'), '\n');
  const text = '[store]\nroot_key = { file = "nothing" }\n[tracing]\nheaders = { env = "HEADERS" }\n';
  assert.deepEqual(await problems(text, [], { HEADERS: '' }), ['store.root_key: nothing is empty', 'tracing.headers: the variable HEADERS is empty']);
  const hidden = '[store]\nroot_key = "2d19cd9a7b1e45f1e1de4fbd9a1e6d1b5a4a5f0f3e8b2c7d6a9f0e1d2c3b4a59"\n';
  const refused = 'GATEHOUSE_STORE_ROOT_KEY: is empty; give the secret, or remove the variable';
  assert.deepEqual(await problems(hidden, [], { GATEHOUSE_STORE_ROOT_KEY: '' }), [refused]);
  assert.deepEqual(await problems('', ['--rotate-kek', '--new-root-key', 'env:NEXT'], { NEXT: '' }), ['--new-root-key: the variable NEXT is empty']);
});

test('a mistake in the file is told by its place, without the lines around it, which may hold secrets', async () => {
  const [problem, ...others] = await problems('[store]\nurl = "postgres://u:hunter2@h/d\nroot_key = "hunter3"\n');
  assert.match(problem as string, /config\.toml: Invalid TOML document: [a-z ]+ \(line 2, column \d+\)$/);
  assert.deepEqual(others, []);
});

test('a realm for certificates that no realm can be is refused', async () => {
  const text = (name: string) => `[auth]\ncertificate_realms = ["team", "${name}"]\n`;
  for (const name of ['a b', 'a/b', '', '**'])
    assert.match((await problems(text(name))).join(), /^auth\.certificate_realms\[1\]: must be a realm \(1 to 64 letters/);
  for (const name of ['*', '_', 'a-B_1']) await load(text(name));
});

test('a port in use, a broken certificate or a foreign data folder stops the start with a clear message', async () => {
  const server = await startServer();
  const port = new URL(server.address).port;
  await assert.rejects(
    startServer({ argv: ['--port', port] }),
    /http: cannot listen on 127\.0\.0\.1 port \d+ \(EADDRINUSE\): another program listens there; stop it, or choose another port/,
  );
  await assert.rejects(startServer({ dataDir: server.dataDir }), /another gatehouse is using it/);
  await assert.rejects(startServer({ config: '[http.tls]\ncert = "a.pem"\n' }), /http\.tls: one of cert and key is missing/);
  await assert.rejects(startServer({ config: '[http.tls]\ncert = "a.pem"\nkey = "b.pem"\n' }), /http\.tls\.cert: .*a\.pem cannot be read \(ENOENT\)/);
  await assert.rejects(startServer({ config: '[store]\nurl = "mysql://x"\n' }), /store\.url: must begin with sqlite: or postgres:/);
  await server.end();
});

test.run();
