// `gatehouse doctor` on installations that a server made and the test broke: it names each damage, and what to do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { examine } from '../../command/doctor/doctor.ts';
import type { Finding } from '../../command/doctor/finding.ts';
import { memoryFindings } from '../../command/doctor/machine.ts';
import { exitOf, root, start } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';

const home = temporaryFolder();
const sound = join(home, 'sound');
test.before(async () => {
  const server = await start(sound);
  server.child.kill('SIGTERM');
  await exitOf(server.child);
});
test.after(() => rmSync(home, { recursive: true }));

/** A copy of the installation after some damage, and what is found there. */
async function found(damage: (dataDir: string) => void, config = '', now = Date.now()): Promise<Finding[]> {
  const folder = join(home, 'broken');
  const dataDir = join(folder, 'data');
  mkdirSync(folder);
  copySound(dataDir);
  const file = join(folder, 'config.toml');
  writeFileSync(file, config);
  damage(dataDir);
  try {
    return await examine({ config: file, dataDir }, {}, now);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The copy of a folder has a mode of its own. */
function copySound(to: string): void {
  cpSync(sound, to, { recursive: true, preserveTimestamps: true });
  chmodSync(to, 0o700);
}

const unsound = (findings: readonly Finding[]) =>
  findings.filter(({ state, about }) => state !== 'ok' && about !== 'limits' && about !== 'disk').map(({ state, about, says }) => `${state} ${about}: ${says}`);

test('a sound installation has no problem; the initial password is pointed out', async () => {
  const findings = await found(() => {});
  assert.deepEqual(unsound(findings), ['warning initial-password: the administrator still has the initial password']);
  for (const about of ['configuration', 'data folder', 'root.key', 'certificate', 'TLS key', 'database', 'clock'])
    assert.ok(
      findings.some((each) => each.about === about && each.state === 'ok'),
      about,
    );
  for (const { state, advice } of findings) assert.equal(advice === undefined, state === 'ok');
});

test('a data folder that is not there is pointed out: a server may have one elsewhere', async () => {
  const findings = await found((data) => rmSync(data, { recursive: true }));
  const about = findings.find((each) => each.about === 'data folder');
  assert.deepEqual([about?.state, about?.advice], ['warning', 'if a server has run here already, name its folder with --data-dir']);
});

const DAMAGES: readonly (readonly [name: string, says: RegExp, damage: (dataDir: string) => void, config?: string])[] = [
  ['a root key that others can read', /^problem root\.key: other users can use .*mode 644/, (data) => chmodSync(join(data, 'root.key'), 0o644)],
  ['an open data folder', /^problem data folder: other users can use .*mode 755/, (data) => chmodSync(data, 0o755)],
  [
    'a broken root key',
    /^problem root key: .*root\.key: must be 64 hexadecimal digits/,
    (data) => writeFileSync(join(data, 'root.key'), 'half a', { mode: 0o600 }),
  ],
  ['a lost root key', /^problem root key: .* is missing, and the database needs it/, (data) => rmSync(join(data, 'root.key'))],
  [
    'a key of another certificate',
    /^problem TLS key: .* does not belong to/,
    (data) => writeFileSync(join(data, 'tls', 'key.pem'), anotherKey(), { mode: 0o600 }),
  ],
  ['a lost certificate key', /^problem TLS key: .* cannot be used/, (data) => renameSync(join(data, 'tls', 'key.pem'), join(data, 'tls', 'old.pem'))],
  ['a certificate that is none', /^problem certificate: .* holds no certificate/, (data) => writeFileSync(join(data, 'tls', 'cert.pem'), 'nothing')],
  ['a damaged database', /^problem database: .* is damaged|^problem database: .* cannot be opened/, overwritten],
  ['a file from the future', /^problem clock: a file in the data folder is from the future/, (data) => utimesSync(join(data, 'root.key'), 4e9, 4e9)],
  [
    'a listener without authorities of clients',
    /^problem configuration: .*keys\.kmip_listener: requires client certificates/s,
    () => {},
    '[keys.kmip_listener]\nenabled = true\n',
  ],
  ['a wrong key of the configuration', /^problem configuration: .*http\.prot: unknown key/s, () => {}, '[http]\nprot = 1\n'],
  [
    'a database that does not answer',
    /^problem database: PostgreSQL cannot be used: connect ECONNREFUSED/,
    () => {},
    '[store]\nurl = "postgres://user:hidden@127.0.0.1:1/none"\n',
  ],
  ['an HSM without its library', /^problem hsm::other: \/nowhere\/lib\.so is not there/, () => {}, hsm('/nowhere/lib.so')],
  ['an HSM whose library is none', /^problem hsm::other: \/etc\/hosts cannot be loaded/, () => {}, hsm('/etc/hosts')],
];

for (const [name, says, damage, config] of DAMAGES)
  test(`${name} is found`, async () => {
    const findings = await found(damage, config);
    const lines = unsound(findings);
    assert.ok(
      lines.some((line) => says.test(line)),
      lines.join('\n'),
    );
    assert.ok(!JSON.stringify(findings).includes('hidden'), 'a password is never shown');
  });

test('less memory than a busy server needs is a warning', () => {
  assert.deepEqual(memoryFindings(512), [{ about: 'memory', state: 'ok', says: '512 MB' }]);
  const [{ state, says, advice } = {}] = memoryFindings(300);
  assert.deepEqual([state, says], ['warning', '300 MB: a busy server needs more, and is then ended by the system']);
  assert.match(advice ?? '', /512 MB/);
});

test('the file of the database is the one that a start would open, in the data folder', async () => {
  const config = '[store]\nurl = "sqlite:/gatehouse.db"\n';
  assert.match((await found(() => {}, config)).find(({ about }) => about === 'database')?.says ?? '', /data\/gatehouse\.db is sound$/);
});

test('a certificate that ends soon is a warning, one that has ended or not begun a problem', async () => {
  const at = async (days: number) => unsound(await found(() => {}, '', Date.now() + days * 86_400_000)).find((line) => / certificate: /.test(line));
  assert.match((await at(350)) ?? '', /^warning certificate: .* ends on .*, in 1[3-5] days$/);
  assert.match((await at(400)) ?? '', /^problem certificate: .* has ended on /);
  assert.match((await at(-30)) ?? '', /^problem certificate: .* is not valid before /);
});

test('the command prints advice, ends with 8 for a problem, and changes nothing', () => {
  const folder = join(home, 'command');
  copySound(folder);
  chmodSync(join(folder, 'root.key'), 0o640);
  const doctor = (...args: string[]) =>
    spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'command/main.ts', 'doctor', '--data-dir', folder, ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  const { status, stdout, stderr } = doctor();
  assert.equal(status, 8, stdout + stderr);
  assert.match(stdout, /^PROBLEM {2}root\.key: other users can use \S+ \(mode 640\)\n {9}chmod 600 \S+root\.key$/m);
  assert.match(stderr, /there (is a problem|are \d+ problems)/);
  const findings = JSON.parse(doctor('--json').stdout) as Finding[];
  assert.ok(findings.some(({ state, about }) => state === 'problem' && about === 'root.key'));
  chmodSync(join(folder, 'root.key'), 0o600);
  assert.equal(doctor().status, 0);
  assert.deepEqual(readFileSync(join(folder, 'gatehouse.db')), readFileSync(join(sound, 'gatehouse.db')));
});

test('an unfit first password is a problem where the next start is the first one, and a warning elsewhere', async () => {
  const env = () => ({ GATEHOUSE_ADMIN_PASSWORD: 'short' });
  const [first] = await examine({ dataDir: join(home, 'fresh') }, env(), Date.now());
  assert.match(`${first?.state} ${first?.says}`, /^problem .*\n.*GATEHOUSE_ADMIN_PASSWORD: it must have 8 to 1024 bytes$/);
  const [, later] = await examine({ dataDir: sound }, env(), Date.now());
  assert.match(`${later?.state} ${later?.says}`, /^warning GATEHOUSE_ADMIN_PASSWORD: it must have 8 to 1024 bytes; a first start/);
});

test('config check lists every problem; backup and restore hand over to the server', () => {
  const file = join(home, 'config.toml');
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'command/main.ts', ...args], { cwd: root, encoding: 'utf8' });
  writeFileSync(file, '[http]\nprot = 1\n[nope]\n');
  const wrong = run('config', 'check', '--config', file);
  assert.equal(wrong.status, 8, wrong.stderr);
  assert.match(wrong.stderr, /2 problems[\s\S]*nope[\s\S]*http\.prot/);
  writeFileSync(file, '[http]\nport = 8444\n');
  assert.equal(run('config', 'check', '--config', file).stdout, 'The configuration is right\n');
  for (const [text, expected] of [
    ['[http.tls]\ncert = "nope.pem"', /http\.tls: one of cert and key is missing/],
    [
      '[http.tls]\nclient_ca = "nope.pem"\n[auth]\njwks_ca = "no.pem"',
      /2 problems[\s\S]*client_ca: .*nope\.pem cannot be read[\s\S]*jwks_ca: .*no\.pem cannot/,
    ],
    ['[http.tls]\nclient_crl = "nope.pem"', /client_crl: has no effect without client_ca/],
    ['[store]\nroot_key = "short"', /store\.root_key: must be 64 hexadecimal digits/],
    ['[actors]\nprocesses = ["nobody"]', /actors\.processes\[0\]: there is no actor nobody/],
    ['[store]\nurl = "sqlite:none/gatehouse.db"', /store\.url: there is no folder .*none for the database file/],
    [
      '[keys]\nkey_encryption_key = "hsm::soft_hsm::0::kek"\n[keys.kmip_listener]\nenabled = true\nport = 8443',
      /3 problems[\s\S]*kmip_listener: requires client certificates[\s\S]*is that of HTTPS[\s\S]*key_encryption_key: hsm::soft_hsm::0::kek is not/,
    ],
    [
      '[keys]\nkey_encryption_key = "hsm::soft_hsm::1::kek"\n[[hsm_instances]]\nhsm_model = "soft_hsm"\nhsm_slot = [0]\nhsm_password = ["1234"]',
      /key_encryption_key: hsm::soft_hsm::1::kek is in slot 1, which is none of hsm::soft_hsm/,
    ],
  ] as const) {
    writeFileSync(file, text);
    const { status, stderr } = run('config', 'check', '--config', file);
    assert.equal(status, 8, text);
    assert.match(stderr, expected);
  }
  const backup = join(home, 'of-today.backup');
  const written = run('backup', backup, '--data-dir', sound);
  assert.equal(written.status, 0, written.stderr);
  assert.equal(run('backup', backup, '--data-dir', sound).status, 1, 'a file is never replaced');
  mkdirSync(join(home, 'new'), { mode: 0o700 });
  cpSync(join(sound, 'root.key'), join(home, 'new', 'root.key'));
  const restored = run('restore', backup, '--data-dir', join(home, 'new'));
  assert.equal(restored.status, 0, restored.stderr);
  assert.match(run('model', 'list', '--data-dir', sound).stdout, /no models in/);
});

function anotherKey(): string {
  return spawnSync('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'], { encoding: 'utf8' }).stdout;
}

/** The pages after the first: the file is still a database. */
function overwritten(dataDir: string): void {
  const file = openSync(join(dataDir, 'gatehouse.db'), 'r+');
  writeSync(file, Buffer.alloc(40_960, 7), 0, 40_960, 4_096);
}

function hsm(library: string): string {
  return `[[hsm_instances]]\nhsm_model = "other"\nlibrary = "${library}"\nhsm_admin = ["_/admin"]\nhsm_slot = [0]\nhsm_password = ["12345678"]\n`;
}

test.run();
