// The story of docs/command-line.md in bash on a started server: from the first sign-in to a shared key and its traces in the audit log.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { exitOf, root, type Started, start } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';
import { blocks, type Shell, shell } from './shell.ts';

const home = temporaryFolder();
let server: Started;
let bash: Shell;
test.before(async () => {
  server = await start(join(home, 'data'));
  bash = shell(server, join(home, 'data'));
});
test.after(async () => {
  server.child.kill('SIGTERM');
  assert.equal(await exitOf(server.child), 0);
  rmSync(bash.folder, { recursive: true });
  rmSync(home, { recursive: true });
});

test('an administrator, a user and a grantee do their work, and the audit log has all of it', async () => {
  const { code, stdout, stderr } = await bash.run(blocks('story'));
  assert.equal(code, 0, stdout + stderr);
  for (const line of [
    `Signed in to ${server.address} as _/admin`,
    '_/admin has a second factor',
    'Created the realm team',
    'Created team/ada',
    `Signed in to ${server.address} as approle:web`,
    `Signed in to ${server.address} as team/ada`,
    'The total is 4711.',
  ])
    assert.ok(stdout.split('\n').includes(line), `${line} in ${stdout}`);
  assert.match(stdout, /invoices +SymmetricKey +AES 256 +Active +accounting/);
  for (const event of [
    'password.change  _/admin',
    'totp.enable  _/admin',
    'realm.create  _/admin',
    'credential.create  _/admin',
    'approle.put  _/admin',
    'secret_id.create  _/admin',
    'approle.login  web',
    'password.change  team/ada',
    'key.create  team/ada',
    'key.grant  team/ada',
    'key.rekey  team/ada',
    'login  team/bob',
  ])
    assert.ok(stdout.includes(`Z  success  ${event}  127.0.0.1  `), `${event} in ${stdout}`);
});

test('profiles are for their owner only, and hold no password; one that others can read is refused', async () => {
  const folder = join(bash.folder, 'profiles');
  assert.deepEqual(readdirSync(folder).sort(), ['ada.json', 'bob.json', 'default.json', 'web.json']);
  for (const name of readdirSync(folder)) {
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), /password|battery|secret/i, name);
  }
  assert.equal(statSync(join(bash.folder, 'web.secret-id')).mode & 0o777, 0o600);
  const { code, stderr } = await bash.run(
    'chmod 644 profiles/bob.json; gatehouse whoami --profile bob || { code=$?; chmod 600 profiles/bob.json; exit $code; }',
  );
  assert.equal(code, 3);
  assert.match(stderr, /others may read .*bob\.json/);
});

test('what is not allowed, not there or not possible ends with its exit code', async () => {
  const cases: readonly (readonly [script: string, code: number, says: RegExp])[] = [
    ['gatehouse whoami --profile nobody', 3, /not signed in: gatehouse login/],
    ['gatehouse realm create other --profile ada', 4, /^gatehouse: /],
    ['gatehouse realm show nowhere', 5, /^gatehouse: /],
    ['gatehouse admin remove-realm . team', 5, /cannot be \. in a path/],
    ['gatehouse key show 01a206ad-0000-7000-8000-000000000000', 5, /Object_Not_Found/],
    ['gatehouse realm create team', 6, /already exists/],
    ['gatehouse realm delete team', 2, /say --yes/],
    ['gatehouse key create aes-512', 2, /the kinds are/],
    ['gatehouse key crate', 2, /unknown command/],
    ['gatehouse login https://127.0.0.1:1 --user admin', 7, /cannot be reached/],
    ['gatehouse login $ADDRESS --profile new --user admin', 7, /SHA-256 fingerprint: (?:[0-9A-F]{2}:){31}/],
    [`gatehouse login $ADDRESS --profile new --fingerprint ${'00'.repeat(32)} --user admin`, 7, /another fingerprint/],
    ['echo wrong | gatehouse login --user admin --password-file -', 3, /credentials are not valid/],
    ['gatehouse login --user admin', 2, /--password-file/],
    ['gatehouse login http://127.0.0.1:80', 2, /https/],
  ];
  for (const [script, code, says] of cases) {
    const ended = await bash.run(script);
    assert.equal(ended.code, code, `${script}: ${ended.stderr}`);
    assert.match(ended.stderr, says, script);
    assert.equal(ended.stdout, '', script);
  }
});

test('signing out ends the session at the server, and keeps the trust for the next sign-in', async () => {
  const { cookie } = JSON.parse(readFileSync(join(bash.folder, 'profiles', 'ada.json'), 'utf8')) as { cookie: string };
  assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
  const { code, stdout } = await bash.run(`gatehouse logout --profile ada
    ! gatehouse whoami --profile ada
    echo 'ada own password' | gatehouse login --profile ada --realm team --user ada --password-file -`);
  assert.equal(code, 0);
  assert.match(stdout, /^Signed out\nSigned in to \S+ as team\/ada\n$/);
  assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 401);
});

test('the launcher of the package hands over arguments, standard input and the exit code', async () => {
  const launcher = join(root, 'bin/gatehouse.mjs');
  const env = { ...process.env, GATEHOUSE_PROFILE_DIR: join(bash.folder, 'profiles') };
  const who = spawnSync(process.execPath, [launcher, 'whoami', '--profile', 'ada', '--json'], { env, encoding: 'utf8' });
  assert.equal(who.status, 0, who.stderr);
  assert.equal((JSON.parse(who.stdout) as { user: string }).user, 'team/ada');
  const sealed = spawnSync(process.execPath, [launcher, 'key', 'encrypt', 'invoices', '--profile', 'ada'], { env, input: 'through a pipe' });
  const opened = spawnSync(process.execPath, [launcher, 'key', 'decrypt', '--profile', 'ada'], { env, input: sealed.stdout });
  assert.equal(opened.stdout.toString(), 'through a pipe');
  assert.equal(spawnSync(process.execPath, [launcher, 'key', 'show', 'nothing-of-that-name'], { env }).status, 5);
});

test('the end of the audit log is printed alone, oldest first, and followed from there', async () => {
  const { code, stdout, stderr } = await bash.run(`
    gatehouse audit --json > whole
    gatehouse audit --json --last 3 > end
    tail -n 3 whole | cmp - end
    gatehouse audit --event login --json --last 1 --follow --interval 1 > tail &
    until [ -s tail ]; do sleep 0.2; done
    echo 'wrong password' | gatehouse login --profile bob --realm team --user bob --password-file - 2> /dev/null || echo "denied with $?"
    until [ $(wc -l < tail) -gt 1 ]; do sleep 0.2; done
    kill $!
    wc -l < tail`);
  assert.equal(code, 0, stdout + stderr);
  assert.equal(stdout, 'denied with 3\n2\n');
});

test('the audit log is followed while it grows, each event once; others may not read it', async () => {
  const { code, stdout, stderr } = await bash.run(`
    gatehouse audit --event login --json --follow --interval 1 > followed &
    until grep -q team followed; do sleep 0.2; done
    BEFORE=$(wc -l < followed)
    echo 'wrong password' | gatehouse login --profile bob --realm team --user bob --password-file - 2> /dev/null || echo "denied with $?"
    until [ $(wc -l < followed) -gt $BEFORE ]; do sleep 0.2; done
    kill $!
    sort followed | uniq -d | wc -l
    tail -n 1 followed | grep -o '"outcome": *"[a-z]*"'
    gatehouse audit --profile ada 2> /dev/null || echo "refused with $?"`);
  assert.equal(code, 0, stdout + stderr);
  assert.equal(stdout, 'denied with 3\n0\n"outcome": "refused"\nrefused with 4\n');
});

test.run();
