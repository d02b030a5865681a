// On a terminal the command asks: for the trust in a certificate, for passwords without showing them, and for the name of what is destroyed.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { exitOf, root, type Started, start } from '../e2e/started.ts';
import { temporaryFolder } from '../server.ts';

const home = temporaryFolder();
const profiles = join(home, 'profiles');
let server: Started;
test.before(async () => {
  server = await start(join(home, 'data'));
});
test.after(async () => {
  server.child.kill('SIGTERM');
  await exitOf(server.child);
  rmSync(home, { recursive: true });
});

type Dialogue = readonly (readonly [question: string, answer: string])[];

/** `script` of util-linux gives the command a terminal of its own. Each answer is typed when its question stands there. */
function talk(line: string, dialogue: Dialogue): Promise<{ code: number | null; screen: string }> {
  const command = `'${process.execPath}' --disable-warning=ExperimentalWarning '${join(root, 'command/main.ts')}' ${line}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env: { ...process.env, GATEHOUSE_PROFILE_DIR: profiles }, stdio: 'pipe', timeout: 100_000 });
  let screen = '';
  let looked = 0;
  let asked = 0;
  child.stdout.on('data', (data) => {
    screen += data;
    const [question, answer] = dialogue[asked] ?? [];
    const at = question === undefined ? -1 : screen.indexOf(question, looked);
    if (at < 0) return;
    looked = at + (question as string).length;
    asked += 1;
    child.stdin.write(`${answer}\r`);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, screen })));
}

if (spawnSync('script', ['--version']).status !== 0) console.log('skipped: terminal.test.ts needs script: apt-get install bsdutils');
else {
  test('a certificate that nobody vouches for is shown by its fingerprint; without a yes nothing is kept', async () => {
    const { code, screen } = await talk(`login ${server.address}`, [['[y/N]', '']]);
    const der = new X509Certificate(readFileSync(join(home, 'data', 'tls', 'cert.pem'))).raw;
    const fingerprint = createHash('sha256')
      .update(der)
      .digest('hex')
      .toUpperCase()
      .replace(/..(?!$)/g, '$&:');
    assert.ok(screen.includes(fingerprint), screen);
    assert.match(screen, /the certificate is not trusted/);
    assert.equal(code, 7);
    assert.equal(existsSync(profiles), false);
  });

  test('the first sign-in asks for everything it needs; passwords are not shown', async () => {
    const initial = readFileSync(join(home, 'data', 'initial-password'), 'utf8').trim();
    const { code, screen } = await talk(`login ${server.address}`, [
      ['[y/N]', 'y'],
      ['User name:', 'admin'],
      ['Password:', initial],
      ['New password:', 'correct horse battery'],
      ['New password again:', 'correct horse battery'],
    ]);
    assert.equal(code, 0, screen);
    assert.match(screen, /Signed in to \S+ as _\/admin/);
    for (const secret of [initial, 'horse']) assert.ok(!screen.includes(secret), screen);
  });

  for (const [name, key] of [
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ] as const)
    test(`who leaves a question with ${name} has stopped the command`, async () => {
      for (const [line, question] of [
        ['session end-all _', 'to go on:'],
        ['user create _ eve', 'Password for eve:'],
      ] as const) {
        const { code, screen } = await talk(line, [[question, key]]);
        assert.match(screen, /gatehouse: stopped\r\n$/);
        assert.equal(code, 1, screen);
      }
    });

  test('who destroys a key types its name; another one stops', async () => {
    assert.equal((await talk('key create aes-256 --name precious', [])).code, 0);
    const stopped = await talk('key destroy precious', [['to go on:', 'precios']]);
    assert.match(stopped.screen, /cannot be decrypted any more[\s\S]*nothing was changed/);
    assert.equal(stopped.code, 1);
    const destroyed = await talk('key destroy precious', [['to go on:', 'precious']]);
    assert.match(destroyed.screen, /Destroyed [0-9a-f-]{36}/);
    assert.equal(destroyed.code, 0);
  });

  test('a name is typed as it is shown, with or without the space around it', async () => {
    for (const typed of [' ada\u200d ', 'ada\\u{200d}']) {
      const { screen } = await talk("user delete _ ' ada\u200d '", [['to go on:', typed]]);
      assert.doesNotMatch(screen, /nothing was changed/);
    }
  });
}

test.run();
