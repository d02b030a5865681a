// What has ended or is missing: exit codes, what logout leaves, damaged profiles, and secrets that are shown once.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { startServer, type TestServer, temporaryFolder } from '../server.ts';
import { type Shell, SIGN_IN, shell } from './shell.ts';

const home = temporaryFolder();
const profile = (name: string) => join(bash.folder, 'profiles', `${name}.json`);
let server: TestServer;
let bash: Shell;

/** Runs a script that must end with this code. @returns what it has printed */
async function ends(code: number, script: string) {
  const ended = await bash.run(script);
  assert.equal(ended.code, code, `${script}: ${ended.stdout}${ended.stderr}`);
  return ended;
}

const accessors = async (): Promise<number> => JSON.parse((await ends(0, 'gatehouse secret-id list web --json')).stdout).length;

test.before(async () => {
  server = await startServer({ dataDir: join(home, 'data') });
  bash = shell(server, join(home, 'data'));
  await ends(0, `${SIGN_IN}\ngatehouse role create web --ttl 600 > role-id`);
});
test.after(async () => {
  await server?.end();
  rmSync(bash.folder, { recursive: true });
  rmSync(home, { recursive: true });
});

test('a token that has ended: not signed in any more, and logout removes it from the profile', async () => {
  await ends(0, 'gatehouse secret-id create web --uses 1 -o secret');
  const login = 'gatehouse login $ADDRESS --ca data/tls/cert.pem --profile web --role-id $(cat role-id) --secret-id-file secret';
  await ends(0, `${login}\ngatehouse role revoke-tokens web --yes`);
  await ends(3, 'gatehouse token show --profile web');
  await ends(0, 'gatehouse logout --profile web');
  assert.equal(JSON.parse(readFileSync(profile('web'), 'utf8')).token, undefined);
  assert.match((await ends(3, login)).stderr, /the secret id is used up/);
});

test('a secret id is not made if its file cannot be, and leaves no file if it is not made', async () => {
  const before = await accessors();
  writeFileSync(join(bash.folder, 'mine'), 'mine', { mode: 0o600 });
  await ends(2, 'gatehouse secret-id create web -o mine');
  assert.equal(readFileSync(join(bash.folder, 'mine'), 'utf8'), 'mine');
  await ends(5, 'gatehouse secret-id create nobody -o theirs');
  assert.equal(statSync(join(bash.folder, 'theirs'), { throwIfNoEntry: false }), undefined);
  assert.equal(await accessors(), before);
});

test('a session that is not there is no such thing', async () => {
  const { stdout, stderr } = await ends(5, 'gatehouse session show 5417574c-f694-8207-bc6e-d14acfd9381f');
  assert.deepEqual([stdout, stderr], ['', 'gatehouse: there is no such session\n']);
  assert.equal((await ends(5, 'gatehouse session show 5417574c-f694-8207-bc6e-d14acfd9381f --json')).stdout, 'null\n');
});

test('a damaged profile is said to be, and so is a file of settings that cannot be read', async () => {
  for (const text of ['{', '[]', 'null', '"x"', '{}', '{"address":5}', '{"address":"x"}', '{"address":"https://127.0.0.1:1","cookie":5}']) {
    writeFileSync(profile('bad'), text, { mode: 0o600 });
    assert.match((await ends(3, 'gatehouse whoami --profile bad')).stderr, /^gatehouse: \S+bad\.json is damaged: sign in again\n$/, text);
  }
  assert.match((await ends(1, 'gatehouse realm create team --from .')).stderr, /^gatehouse: EISDIR/);
  assert.match((await ends(2, 'echo "[]" > list; gatehouse realm create team --from list')).stderr, /list is not a JSON object/);
});

test.run();
