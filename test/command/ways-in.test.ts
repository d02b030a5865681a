// Every way of docs/command-line.md to sign in, with what a refused one leaves: JWT, client certificate, role and app token.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { CLIENT_AUTH, makeCertificate } from '../certificates.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { startServer, type TestServer, temporaryFolder } from '../server.ts';
import { type Shell, SIGN_IN, shell } from './shell.ts';

const home = temporaryFolder();
let server: TestServer;
let idp: IdentityProvider;
let bash: Shell;

const file = (name: string, text: string): string => {
  writeFileSync(join(home, name), text, { mode: 0o600 });
  return join(home, name);
};

const authority = await makeCertificate('CN=people of the house');
const ann = await makeCertificate('CN=ann', { issuer: authority, usage: CLIENT_AUTH });
const foreign = await makeCertificate('CN=ann', { issuer: await makeCertificate('CN=people of the house'), usage: CLIENT_AUTH });
const card = `--cert ${file('ann.pem', ann.cert)} --key ${file('ann.key', ann.key)}`;

async function run(script: string, stdin?: string) {
  const { code, stdout, stderr } = await bash.run(script, stdin);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Who the profile is for the key server, and whose session it holds. */
async function who(profile: string): Promise<{ user: string; realm?: string }> {
  return JSON.parse(await run(`gatehouse whoami --json --profile ${profile}`));
}

/** What the profile keeps. */
const kept = (profile: string): Record<string, unknown> => JSON.parse(readFileSync(join(bash.folder, 'profiles', `${profile}.json`), 'utf8'));

const login = (profile: string, rest: string) => `gatehouse login $ADDRESS --fingerprint $(cat fingerprint) --profile ${profile} ${rest}`;

test.before(async () => {
  const config = `[http.tls]\nclient_ca = "${file('ca.pem', authority.cert)}"\n[auth]\ncertificate_realms = ["cards"]\n`;
  server = await startServer({ dataDir: join(home, 'data'), config });
  idp = await startIdentityProvider(() => server.clock.now());
  bash = shell(server, join(home, 'data'));
  await run(`${SIGN_IN}\necho "$FINGERPRINT" > fingerprint`);
  const provider = { jwt_issuer_uri: idp.issuer, jwks_uri: idp.jwksUri, jwt_audience: 'gatehouse' };
  const sso = file('sso.json', JSON.stringify({ auth_params: { jwt_params: { idp_params: [provider] } } }));
  await run(`gatehouse realm create cards\ngatehouse realm create sso --from ${sso}`);
});
test.after(async () => {
  await idp?.end();
  await server?.end();
  rmSync(bash.folder, { recursive: true });
  rmSync(home, { recursive: true });
});

test('with a JWT of a provider, from a pipe: a session of its subject', async () => {
  await run(login('jwt', '--realm sso --jwt-file -'), await idp.token());
  const { user, realm } = await who('jwt');
  assert.deepEqual([user.includes('user-1'), realm], [true, 'sso']);
  const { cookie, ...rest } = kept('jwt');
  assert.equal(typeof cookie, 'string');
  assert.equal(JSON.stringify(rest).includes('eyJ'), false, 'the token itself is not kept');
});

test('with a client certificate and a realm: a session; without a realm: on every request', async () => {
  await run(login('card-session', `--realm cards ${card}`));
  assert.equal((await who('card-session')).realm, 'cards');
  assert.equal(typeof kept('card-session')['cookie'], 'string');
  await run(`cd ${home}\n${login('card', '--cert ann.pem --key ann.key').replace('fingerprint)', `${bash.folder}/fingerprint)`)}`);
  assert.equal((await who('card')).user, 'ann');
  assert.equal(kept('card')['cookie'], undefined);
  await run('gatehouse key create aes-256 --name by-card --profile card\ngatehouse key show by-card --profile card');
});

test('with a role: a token that logout revokes; the same token as an app token of another profile', async () => {
  const id = (await run('gatehouse role create web --ttl 600 --policy sessions:read:cards')).trim();
  await run('gatehouse secret-id create web --uses 1 -o web.secret');
  await run(login('role', `--role-id ${id} --secret-id-file web.secret`));
  const token = kept('role')['token'] as string;
  await run(login('token', '--token-file -'), token);
  assert.deepEqual(await who('token'), await who('role'));
  await run('gatehouse token show --profile token');
  await run('gatehouse logout --profile role');
  const { code, stderr } = await bash.run('gatehouse whoami --profile token');
  assert.deepEqual([code, stderr.includes(token)], [3, false], stderr);
});

test('with a role that wants no secret id', async () => {
  const id = (await run('gatehouse role create builder --ttl 600 --without-secret-id --token-cidr 127.0.0.0/8')).trim();
  await run(login('builder', `--role-id ${id} --without-secret-id`));
  assert.match((await who('builder')).user, /builder/);
  const { code, stderr } = await bash.run(login('builder', '--without-secret-id'));
  assert.deepEqual([code, stderr], [2, 'gatehouse: --role-id is missing: a secret id is one of a role\n']);
});

test('what is refused says so, and leaves the profile that works', async () => {
  const foreignCard = `--cert ${file('foreign.pem', foreign.cert)} --key ${file('foreign.key', foreign.key)}`;
  const before = kept('jwt');
  const attempts: [string, string?][] = [
    ['--realm sso --jwt-file -', await idp.token({ aud: 'another' })],
    [`--realm cards ${foreignCard}`],
    [foreignCard],
    [`--realm _ ${card}`],
    ['--role-id nobody --secret-id-file -', 'a-guess'],
    ['--token-file -', 'a-guess'],
  ];
  for (const [rest, stdin] of attempts) {
    const { code, stdout, stderr } = await bash.run(login('jwt', rest), stdin);
    assert.deepEqual([code, stdout], [3, ''], `${rest}: ${stderr}`);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.equal(/eyJ|a-guess/.test(stderr), false, stderr);
  }
  const { code, stderr } = await bash.run(login('jwt', `--cert ${join(home, 'ann.pem')}`));
  assert.deepEqual([code, stderr], [2, 'gatehouse: --cert and --key go together\n']);
  const silent = await bash.run(login('jwt', `--role-id ${'0'.repeat(8)}`));
  assert.deepEqual([silent.code, silent.stderr], [2, 'gatehouse: Secret id: give --secret-id-file FILE, or - to read a line of standard input\n']);
  const gone = await bash.run(login('jwt', `--cert ${join(home, 'nobody.pem')} --key ${join(home, 'ann.key')}`));
  assert.match(gone.stderr, /^.*nobody\.pem.*\n$/);
  assert.deepEqual(kept('jwt'), before);
});

test.run();
