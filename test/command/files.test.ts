// Files that are named on the command line and cannot be what they should: the refusal names them, and an unfinished output does not stay.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { type SignedIn, signedInShell } from './shell.ts';

let signedIn: SignedIn;
test.before(async () => {
  signedIn = await signedInShell(`
    gatehouse key create aes-256 --name files
    gatehouse realm create team
    mkdir folder
    echo hello > text
    : > empty
    printf 'caf\\351' > latin1
    openssl genpkey -algorithm ed25519 -out other.pem`);
});
test.after(() => signedIn.end());

async function refused(command: string, code: number, says: RegExp): Promise<void> {
  const ended = await signedIn.bash.run(command);
  assert.match(ended.stderr, says, command);
  assert.equal(ended.code, code, `${command}: ${ended.stderr}`);
  assert.equal(ended.stdout, '', command);
}

test('a folder or a missing file in place of a file to read is named', async () => {
  for (const command of ['key encrypt files folder', 'key decrypt folder', 'key import folder', 'realm set team --from folder'])
    await refused(`gatehouse ${command}`, 1, /^gatehouse: EISDIR: [^\n]*'folder'\n$/);
  await refused('gatehouse key encrypt files < folder', 2, /^gatehouse: standard input is a folder\n$/);
  await refused('gatehouse base add documents folder', 2, /^gatehouse: folder is not a file with a length/);
  await refused('gatehouse base add documents missing', 1, /^gatehouse: ENOENT: [^\n]*'missing'\n$/);
});

test('a file to write is named as it was given, and one that is there is refused alike', async () => {
  for (const command of ['key encrypt files text', 'key export files']) {
    await refused(`gatehouse ${command} -o nowhere/out`, 1, /^gatehouse: ENOENT: [^\n]* 'nowhere\/out'\n$/);
    await refused(`gatehouse ${command} -o text/out`, 1, /^gatehouse: ENOTDIR: [^\n]* 'text\/out'\n$/);
    for (const there of ['folder', 'text']) await refused(`gatehouse ${command} -o ${there}`, 2, new RegExp(`^gatehouse: ${there} exists already\\n$`));
  }
});

test('authorities, certificates, keys and secrets that are none are refused before anything is sent', async () => {
  const login = (flags: string) => `gatehouse login $ADDRESS --profile other ${flags}`;
  const trusted = '--ca data/tls/cert.pem';
  await refused(login('--ca text --user ada --password-file text'), 2, /^gatehouse: text holds no certificate in PEM format\n$/);
  await refused(login('--fingerprint 00 --user ada --password-file text'), 2, /^gatehouse: --fingerprint must be the SHA-256 /);
  await refused(login(`${trusted} --user ada --password-file empty`), 2, /^gatehouse: empty is empty, where --password-file expects a secret\n$/);
  await refused(login(`${trusted} --user ada --password-file latin1`), 2, /^gatehouse: latin1 is not text in UTF-8\n$/);
  await refused(`echo | ${login(`${trusted} --user ada --password-file -`)}`, 2, /^gatehouse: the line of standard input is empty/);
  await refused(login(`${trusted} --cert text --key other.pem`), 2, /text holds no certificate in PEM format\n$/);
  await refused(login(`${trusted} --cert data/tls/cert.pem --key text`), 2, /text holds no private key in PEM format\n$/);
  await refused(login(`${trusted} --cert data/tls/cert.pem --key other.pem`), 2, /other\.pem is not the key of .*cert\.pem/);
});

test('a token or a certificate that is not accepted is told as that, not as a session that has ended', async () => {
  const login = 'gatehouse login $ADDRESS --profile other --ca data/tls/cert.pem';
  await refused(`${login} --token-file text`, 3, /^gatehouse: the server does not accept the app token\n$/);
  await refused(`${login} --cert data/tls/cert.pem --key data/tls/key.pem`, 3, /^gatehouse: the server does not accept the client certificate\n$/);
});

test('a change of a realm without a setting is refused', () => refused('gatehouse realm set team', 2, /^gatehouse: nothing to change: give a setting\n$/));

test('a command that a signal ends leaves no half of its output', async () => {
  writeFileSync(join(signedIn.bash.folder, 'large'), Buffer.alloc(3_000_000));
  for (const signal of ['INT', 'TERM', 'HUP']) {
    // The file is followed, so that the end of the input never comes; the signal arrives when the first chunks are in the file. One process does it:
    // bash goes on with the next command if the one before ends by itself at the moment of an interrupt.
    const script = `set +e; set -m
      tail -c +1 -f large | gatehouse key encrypt files -o sealed &
      until ls sealed.unfinished-* > /dev/null 2>&1 && [ "$(cat sealed.unfinished-* | wc -c)" -gt 1000 ]; do sleep 0.1; done
      kill -${signal} -- -$(jobs -p %1)
      wait %1; echo $?`;
    await signedIn.bash.run(script);
    const left = readdirSync(signedIn.bash.folder).filter((name) => name.startsWith('sealed'));
    assert.deepEqual(left, [], signal);
  }
});

test.run();
