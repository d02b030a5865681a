// What the server makes is its own: files of mode 0600 whatever the umask, a data folder that is not closed to others in silence, secrets that leave the environment.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { exitOf, root, STAYING, serverPid, start } from '../e2e/started.ts';
import { until } from '../runtime.ts';
import { startServer, temporaryFolder } from '../server.ts';

const folder = temporaryFolder();
test.after(() => rmSync(folder, { recursive: true }));

/** The launcher under a umask. @returns all that it says */
function launched(umask: string, args: readonly string[]) {
  const child = spawn('sh', ['-c', `umask ${umask}; exec "$0" launch.mjs start "$@"`, process.execPath, '--port', '0', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output.text += data));
  return { child, output };
}

function modesIn(path: string): string[] {
  const wrong: string[] = [];
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const { mode } = statSync(join(entry.parentPath, entry.name));
    if ((mode & 0o777) !== (entry.isDirectory() ? 0o700 : 0o600)) wrong.push(`${entry.name} ${(mode & 0o777).toString(8)}`);
  }
  return wrong;
}

for (const umask of ['000', '022', '777']) {
  test(`with umask ${umask} every file has mode 0600 and every folder 0700, with database and backups`, async () => {
    const dataDir = join(folder, umask, 'data');
    mkdirSync(join(folder, umask), { mode: 0o700 });
    const { child, output } = launched(umask, ['--data-dir', dataDir]);
    try {
      await until(() => /is ready at/.test(output.text) || child.exitCode !== null, 'the server is ready', 60_000);
      assert.ok(child.exitCode === null, output.text);
      await checkModes(umask, dataDir);
    } finally {
      child.kill('SIGTERM');
      await exitOf(child);
    }
  });
}

async function checkModes(umask: string, dataDir: string): Promise<void> {
  assert.ok(
    ['gatehouse.db', 'gatehouse.db-wal', 'gatehouse.db-shm', 'initial-password', 'lock', 'node', 'root.key'].every((name) => existsSync(join(dataDir, name))),
  );
  assert.deepEqual(modesIn(join(folder, umask)), []);
  const backup = join(folder, umask, 'file.backup');
  const made = launched(umask, ['--data-dir', dataDir, '--backup', backup]);
  await once(made.child, 'exit');
  assert.equal((statSync(backup).mode & 0o777).toString(8), '600', made.output.text);
  const restored = join(folder, umask, 'restored');
  mkdirSync(restored, { mode: 0o700 });
  writeFileSync(join(restored, 'root.key'), readFileSync(join(dataDir, 'root.key')), { mode: 0o600 });
  const done = launched(umask, ['--data-dir', restored, '--restore', backup]);
  await once(done.child, 'exit');
  assert.match(done.output.text, /restored \d+ rows/);
  assert.deepEqual(modesIn(join(folder, umask)), []);
}

test('a data folder that others can read is closed with a warning; a foreign one is left as it is', async () => {
  const dataDir = join(folder, 'open');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  const server = await startServer({ dataDir });
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  assert.ok(
    server.lines.some(({ warning }) => /other users could read it \(mode 0755\); its mode is now 0700/.test(String(warning))),
    JSON.stringify(server.lines),
  );
  await server.end();
  const foreign = join(folder, 'foreign');
  mkdirSync(foreign);
  chmodSync(foreign, 0o755);
  writeFileSync(join(foreign, 'holiday.jpg'), '');
  await assert.rejects(startServer({ dataDir: foreign }), /other users could read it \(mode 0755\), and it holds files that are not gatehouse's/);
  assert.deepEqual([statSync(foreign).mode & 0o777, readdirSync(foreign)], [0o755, ['holiday.jpg']]);
});

/** Processes below one, and itself. */
function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(processesOf)];
}

for (const [launcher, variables] of Object.entries({ 'launcher that becomes the server': {}, 'launcher that stays': STAYING }))
  test(`secrets leave the environment of a ${launcher}, the server and whatever it starts once they are read`, async () => {
    const config = join(folder, 'config.toml');
    writeFileSync(config, '[store]\nroot_key = { env = "THE_ROOT_KEY" }\n');
    const secrets = { GATEHOUSE_ADMIN_PASSWORD: 'initial password', THE_ROOT_KEY: 'ab'.repeat(32), GATEHOUSE_STORE_URL: 'sqlite:named-in-the-environment.db' };
    const server = await start(join(folder, launcher), ['--config', config], { ...secrets, ...variables });
    try {
      const first = server.child.pid as number;
      assert.ok(processesOf(first).includes(serverPid(server)));
      const environmentOf = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'latin1');
      const told = () => processesOf(first).flatMap((pid) => Object.values(secrets).filter((secret) => environmentOf(pid).includes(secret)));
      await until(() => told().length === 0, 'no process has a secret in its environment', 2_000).catch(() => assert.deepEqual(told(), []));
      for (const pid of processesOf(first)) assert.match(environmentOf(pid), /PATH=/, 'what is no secret stays');
      const login = await server.ask('POST', '/login?realm=_', { user: 'admin:initial password' });
      assert.equal(login.body.next_step, 'ChangePassword');
    } finally {
      server.child.kill('SIGTERM');
      await exitOf(server.child);
    }
  });

test.run();
