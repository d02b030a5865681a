// The server as a user starts it: the launcher, the line it prints, signals, crashes of the whole process, and words for what is wrong.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { test } from 'uvu';
import { freePort } from '../postgres.ts';
import { isAlive } from '../processes.ts';
import { until } from '../runtime.ts';
import { asker, temporaryFolder } from '../server.ts';
import { exitOf, integrity, launch, root, STAYING, serverPid, start } from './started.ts';

test('npm start ends with a line that gives the address and how to sign in; SIGTERM ends it with 0', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const server = await start(dataDir);
  const line = server.output.text.trim().split('\n').at(-1) as string;
  const password = readFileSync(join(dataDir, 'initial-password'), 'utf8').trim();
  assert.match(
    line,
    new RegExp(`^gatehouse \\S+ is ready at ${server.address} - sign in: curl -k -u 'admin:${password}' -X POST '${server.address}/login\\?realm=_'$`),
  );
  const login = await server.ask('POST', '/login?realm=_', { user: `admin:${password}` });
  assert.equal(login.body.next_step, 'ChangePassword');
  const pid = serverPid(server);
  server.child.kill('SIGTERM');
  assert.equal(await exitOf(server.child), 0);
  assert.equal(isAlive(pid), false);
  rmSync(dataDir, { recursive: true });
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} finishes what is under way`, async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const server = await start(dataDir, [], { GATEHOUSE_ADMIN_PASSWORD: 'initial password' });
    const logins = Array.from({ length: 6 }, () => server.ask('POST', '/login?realm=_', { user: 'admin:initial password' }));
    // The first hash has begun when the metrics say so.
    await until(async () => /gatehouse_actor_queue_depth\{actor="password"\} [1-9]/.test((await server.ask('GET', '/metrics')).text), 'hashes run');
    server.child.kill(signal);
    for (const { status, body } of await Promise.all(logins)) assert.deepEqual([status, body.next_step], [200, 'ChangePassword']);
    assert.equal(await exitOf(server.child), 0);
    rmSync(dataDir, { recursive: true });
  });
}

test('kill -9 in the middle of logins loses no session that was answered, and the files are sound', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const server = await start(dataDir, [], { GATEHOUSE_ADMIN_PASSWORD: 'initial password' });
  const first = await server.ask('POST', '/login?realm=_', { user: 'admin:initial password', body: { new_password: 'a new password' } });
  const cookies = [first.cookie];
  const logins = Array.from({ length: 12 }, async () => {
    const { status, cookie } = await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' });
    if (status === 200) cookies.push(cookie);
  }).map((login) => login.catch(() => {}));
  await until(() => cookies.length > 3, 'some logins were answered');
  process.kill(serverPid(server), 'SIGKILL');
  await Promise.all(logins);
  await exitOf(server.child);
  // An independent reader looks at the file as it was left.
  assert.equal(await integrity(join(dataDir, 'gatehouse.db')), 'ok');
  const again = await start(dataDir);
  for (const cookie of cookies) assert.equal((await again.ask('GET', '/whoami', { cookie })).status, 200);
  again.child.kill('SIGTERM');
  assert.equal(await exitOf(again.child), 0);
  rmSync(dataDir, { recursive: true });
});

test('the launcher becomes the server, so that one process runs; SIGHUP ends it like SIGTERM', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const server = await start(dataDir);
  assert.equal(serverPid(server), server.child.pid);
  server.child.kill('SIGHUP');
  assert.equal(await exitOf(server.child), 0);
  assert.match(server.output.text, /"signal":"SIGHUP"/);
  rmSync(dataDir, { recursive: true });
});

test('SIGUSR1 and SIGUSR2 end neither the launcher nor the server nor its processes, and open no debugger', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const server = await start(dataDir, [], { ...STAYING, GATEHOUSE_ACTORS_PROCESSES: 'identity' });
  const pid = serverPid(server);
  const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const all = [server.child.pid as number, pid, ...below];
  for (const signal of ['SIGUSR1', 'SIGUSR2']) for (const each of all) process.kill(each, signal);
  await sleep(1_000);
  assert.ok(all.length > 2 && all.every(isAlive));
  assert.doesNotMatch(server.output.text, /debugger/i);
  assert.equal((await server.ask('GET', '/health')).status, 200);
  server.child.kill('SIGTERM');
  assert.equal(await exitOf(server.child), 0);
  rmSync(dataDir, { recursive: true });
});

const WAITS: Readonly<Record<string, (dataDir: string, port: number) => Promise<void>>> = {
  'before it serves': (dataDir) => until(() => existsSync(join(dataDir, 'gatehouse.db')), 'it starts', 120_000),
  'with its first answer': (_dataDir, port) => {
    const ask = asker(`https://127.0.0.1:${port}`, new Agent({ connect: { rejectUnauthorized: false } }));
    const answers = async () => (await ask('GET', '/health')).status === 200;
    return until(() => answers().catch(() => false), 'one thread serves', 120_000);
  },
};

for (const [when, waits] of Object.entries(WAITS))
  test(`a start with several threads that is told to stop ${when} ends with 0`, async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const port = await freePort();
    const { child, output } = launch(dataDir, ['--port', String(port)], { GATEHOUSE_HTTP_THREADS: '2' });
    await waits(dataDir, port);
    child.kill('SIGTERM');
    assert.deepEqual([await exitOf(child), child.signalCode], [0, null], output.text);
    rmSync(dataDir, { recursive: true });
  });

test('a server whose launcher is killed stops by itself', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const server = await start(dataDir, [], STAYING);
  const pid = serverPid(server);
  assert.notEqual(pid, server.child.pid);
  server.child.kill('SIGKILL');
  await until(() => !isAlive(pid), 'the server ended');
  rmSync(dataDir, { recursive: true });
});

test('what is wrong with the configuration is told in words, with exit code 1, and nothing is made', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'config.toml');
  writeFileSync(file, '[http]\nprot = 1\n[nope]\n');
  const { child, output } = launch(join(folder, 'data'), ['--config', file, '--whatever']);
  assert.equal(await exitOf(child), 1);
  assert.equal(
    output.text.trim(),
    'gatehouse cannot start: the configuration has 3 problems:\n  - --whatever: unknown flag; --help lists the flags\n  - nope: unknown section (known: auth, hsm_instances, keys, tokenize, ai, docs, console, hsm_models, http, store, actors, log, metrics, tracing, audit, plugins)\n  - http.prot: unknown key (known: host, port, threads, stuck_seconds, trusted_proxies, proxy_protocol, body_limit, request_timeout, write_timeout, drain_seconds, caller_memory, total_memory, tls)',
  );
  assert.equal(existsSync(join(folder, 'data')), false);
  rmSync(folder, { recursive: true });
});

test('a file of the data folder that cannot be used is named, without a stack', async () => {
  for (const [name, expected] of [
    ['root.key', /^gatehouse cannot start: the configuration has a problem:\n {2}- \S+\/root\.key: cannot be read \(EISDIR\)$/],
    ['tls/key.pem.new', /^gatehouse cannot start: [^\n]*\/tls\/key\.pem\.new'?$/],
  ] as const) {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, name), { recursive: true });
    const { child, output } = launch(dataDir);
    assert.equal(await exitOf(child), 1);
    assert.match(output.text.trim(), expected);
    rmSync(dataDir, { recursive: true });
  }
});

test('--help and --version answer and end', async () => {
  const help = launch('/nonexistent', ['--help']);
  assert.equal(await exitOf(help.child), 0);
  for (const flag of [
    '--config',
    '--data-dir',
    '--host',
    '--port',
    '--backup',
    '--restore',
    '--copy-store',
    '--rotate-kek',
    '--new-root-key',
    '--reset-admin',
    '--hsm-model',
    '--hsm-admin',
    '--hsm-slot',
    '--hsm-password',
    '--accept-hsm-change',
  ])
    assert.ok(help.output.text.includes(flag), flag);
  const version = launch('/nonexistent', ['--version']);
  assert.equal(await exitOf(version.child), 0);
  assert.equal(version.output.text.trim(), (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version);
});

test.run();
