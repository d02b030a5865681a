// Machines, keys of deleted accounts and the state of the server from the command line: tokens by accessor, lists that stop where they are told to.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { type Shell, type SignedIn, signedInShell } from './shell.ts';

let signedIn: SignedIn;
let bash: Shell;
test.before(async () => {
  signedIn = await signedInShell();
  bash = signedIn.bash;
});
test.after(() => signedIn.end());

async function lines(script: string): Promise<string[]> {
  const { code, stdout, stderr } = await bash.run(script);
  assert.equal(code, 0, stderr + stdout);
  return stdout.trim().split('\n');
}

/** Exit code and message. */
async function refused(command: string): Promise<[number | null, string]> {
  const { code, stderr } = await bash.run(command);
  return [code, stderr.trim()];
}

const json = async (command: string) => JSON.parse((await lines(`${command} --json`)).join('\n'));
const cookie = () => (JSON.parse(readFileSync(join(bash.folder, 'profiles', 'default.json'), 'utf8')) as { cookie: string }).cookie;

test('tokens of a role are listed by accessor, and end one by one or all at once', async () => {
  await lines(`ROLE=$(gatehouse role create web --ttl 3600); gatehouse secret-id create web -o secret
    for name in one two; do gatehouse login $ADDRESS --ca data/tls/cert.pem --profile $name --role-id $ROLE --secret-id-file secret; done`);
  const two = (await json('gatehouse role tokens web')) as { accessor: string }[];
  assert.equal(two.length, 2);
  const profile = readFileSync(join(bash.folder, 'profiles', 'one.json'), 'utf8');
  for (const { accessor } of two) assert.equal(profile.includes(accessor), false, 'an accessor is no token');
  assert.equal(((await json('gatehouse role tokens web --limit 1')) as unknown[]).length, 1);
  const table = await lines('gatehouse role tokens web');
  assert.match(table[0] as string, /^ACCESSOR +OF +ISSUED +ENDS$/);
  assert.match(table[1] as string, /T\d\d:\d\d:\d\d\.000Z +20\d\d-.*Z$/);
  const [first] = two as [{ accessor: string }];
  await lines(`gatehouse role revoke-token web ${first.accessor}`);
  const left = (await json('gatehouse role tokens web')) as { accessor: string }[];
  assert.deepEqual(
    left,
    two.filter((each) => each.accessor !== first.accessor),
  );
  const shown = await bash.run('gatehouse token show --profile one >/dev/null || echo one; gatehouse token show --profile two >/dev/null || echo two');
  assert.match(shown.stdout.trim(), /^(one|two)$/, 'one of them has ended');
  await lines('gatehouse role revoke-tokens web --yes');
  assert.deepEqual(await json('gatehouse role tokens web'), []);
  assert.equal((await bash.run('gatehouse role tokens nothing')).code, 5);
});

test('what is there already is not replaced, by no command that creates, unless it is told to', async () => {
  await lines('gatehouse role create once --ttl 60');
  assert.deepEqual(await refused('gatehouse role create once --ttl 90'), [6, 'gatehouse: the role once exists already; --replace replaces all its settings']);
  assert.equal((await json('gatehouse role show once')).token_ttl, 60);
  const [id] = await lines('gatehouse role create once --ttl 90 --replace');
  const { token_ttl, role_id } = await json('gatehouse role show once');
  assert.deepEqual([token_ttl, role_id], [90, id]);
  await lines(`gatehouse role delete once --yes; gatehouse role create once --replace; gatehouse role delete once --yes
    gatehouse realm create twice; printf 'a long password' > password; gatehouse user create twice ada --password-file password; gatehouse admin create twice`);
  for (const command of ['realm create twice', 'user create twice ada --password-file password', 'admin create twice'])
    assert.equal((await refused(`gatehouse ${command}`))[0], 6, command);
});

test('a role of clusters is made, shown, listed and deleted; without saying who it is for it is not made', async () => {
  const some = await bash.run('gatehouse cluster-role create pods --jwks https://cluster.example/jwks');
  assert.deepEqual([some.code, /--account are needed/.test(some.stderr)], [2, true], some.stderr);
  await lines('gatehouse cluster-role create pods --jwks https://cluster.example/jwks --namespace prod --account backup --account restore --ttl 60');
  const role = await json('gatehouse cluster-role show pods');
  assert.deepEqual([role.jwks_url, role.bound_service_account_names, role.token_ttl], ['https://cluster.example/jwks', ['backup', 'restore'], 60]);
  const again = 'gatehouse cluster-role create pods --jwks https://cluster.example/jwks --namespace prod --account backup --ttl 90';
  assert.deepEqual(await refused(again), [6, 'gatehouse: the cluster role pods exists already; --replace replaces all its settings']);
  assert.equal((await json('gatehouse cluster-role show pods')).token_ttl, 60);
  await lines(`${again} --replace`);
  assert.equal((await json('gatehouse cluster-role show pods')).token_ttl, 90);
  assert.deepEqual(await json('gatehouse cluster-role list'), [{ role: 'pods' }]);
  assert.deepEqual(await json('gatehouse cluster-role tokens pods'), []);
  await lines('gatehouse cluster-role revoke-tokens pods --yes; gatehouse cluster-role delete pods --yes');
  assert.deepEqual(await json('gatehouse cluster-role list'), []);
});

test('a list asks for no more than it prints, and all of it comes in pages', async () => {
  await lines('gatehouse realm create many');
  const made = { cookie: cookie() };
  for (let at = 0; at < 12; at++) {
    assert.equal((await signedIn.server.ask('POST', `/auth/approle/role/many-${at}`, made)).status, 204);
    assert.equal((await signedIn.server.ask('POST', '/auth/approle/role/many-0/secret-id', made)).status, 200);
    await signedIn.server.ask('POST', '/realms/many/userpass', { ...made, body: { username: 'ada', password_input: { plaintext: 'ada own password' } } });
    assert.equal((await signedIn.server.ask('POST', '/login?realm=many', { user: 'ada:ada own password' })).status, 200);
  }
  for (const [command, all] of [
    ['gatehouse role list', 13],
    ['gatehouse secret-id list many-0', 12],
    ['gatehouse session list many ada', 12],
  ] as const) {
    assert.equal(((await json(command)) as unknown[]).length, all, command);
    assert.equal(((await json(`${command} --limit 5`)) as unknown[]).length, 5, command);
  }
});

test('keys of a deleted account are listed, handed over and destroyed', async () => {
  await lines(`gatehouse realm create team
    for name in ada bob; do
      echo "$name own password" | gatehouse user create team $name --password-file -
      echo "$name own password" | gatehouse login $ADDRESS --ca data/tls/cert.pem --profile $name --realm team --user $name --password-file -
    done
    gatehouse key create aes-256 --name left --profile ada
    gatehouse key create aes-256 --name useless --profile ada
    echo 'for bob' | gatehouse key encrypt left --profile ada > for-bob
    gatehouse key show left --profile ada --json > left.json
    gatehouse user delete team ada --yes`);
  const [stone] = await json('gatehouse tombstone list');
  assert.deepEqual([stone.name, stone.objects], ['team/ada', 2]);
  assert.match((await lines('gatehouse tombstone list'))[1] as string, /^team\/ada +\S+ +20\d\d-\d\d-\d\dT\S+Z +2$/);
  const id = (await json('gatehouse tombstone list'))[0].account;
  const key = /^\{.*"kid":"([^"]+)"/.exec(Buffer.from(JSON.parse(readFileSync(join(bash.folder, 'for-bob'), 'utf8')).protected, 'base64url').toString())?.[1];
  assert.ok(key);
  assert.equal((await bash.run(`gatehouse tombstone transfer ${id} team/bob --key ${key}`)).code, 2, 'a script says --yes');
  assert.deepEqual(await lines(`gatehouse tombstone transfer ${id} team/bob --key ${key} --yes; gatehouse key decrypt for-bob --profile bob`), [
    'Handed over to team/bob: 1 key',
    'for bob',
  ]);
  assert.deepEqual(await lines('gatehouse tombstone destroy team/ada --yes; gatehouse tombstone list --json'), ['Destroyed 1 key', '[]']);
  assert.equal((await bash.run('gatehouse tombstone list --profile bob')).code, 4, 'for super admins only');
});

test('the state of the server is told to super admins', async () => {
  const state = await json('gatehouse status');
  assert.deepEqual([state.not_ready, state.degraded], [[], []]);
  assert.match(state.build.node, /^24\./);
  assert.match((await lines('gatehouse status'))[0] as string, /^state +ready$/);
  assert.equal((await bash.run('gatehouse status --profile bob')).code, 4);
});

test.run();
