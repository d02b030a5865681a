// The app token by its other names: X-Vault-Token wherever X-App-Token is, and as a bearer for the token itself.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../../server.ts';
import { machineOn } from '../machine/setup.ts';

let server: TestServer;
let token: string;
let other: string;
test.before(async () => {
  server = await startServer();
  const machine = machineOn(server, await signInAdmin(server), '');
  const role = await machine.makeRole('web', { bind_secret_id: false });
  [token, other] = [await machine.logIn(role), await machine.logIn(role)];
});
test.after(() => server?.end());

const SELF = ['/auth/token/lookup-self', '/v1/auth/token/lookup-self'];
const statusOf = async (path: string, headers: Record<string, string>, cookie?: string) => (await server.ask('GET', path, { headers, cookie })).status;

test('X-Vault-Token is X-App-Token on every route that takes one', async () => {
  for (const path of [...SELF, '/hsm/status']) {
    assert.equal(await statusOf(path, { 'x-vault-token': token }), 200, path);
    assert.equal(await statusOf(path, { 'x-app-token': token }), 200, path);
    assert.equal(await statusOf(path, { 'x-app-token': token, 'x-vault-token': token }), 200, path);
  }
  assert.equal(await statusOf('/whoami', { 'x-vault-token': token }), 401, 'it takes none');
});

test('two differing headers are no credential, whichever is valid, and no other credential is tried', async () => {
  const cookie = await signInAdminAgain();
  for (const [app, vault] of [
    [token, other],
    [token, 'nonsense'],
    ['nonsense', token],
    [token, ''],
    ['', token],
  ] as const) {
    const headers = { 'x-app-token': app, 'x-vault-token': vault };
    for (const path of SELF) assert.equal(await statusOf(path, headers), 403, `${path} ${app} ${vault}`);
    assert.equal(await statusOf('/hsm/status', headers), 401);
    assert.equal(await statusOf('/hsm/status', headers, cookie), 401);
  }
  assert.equal(await statusOf('/hsm/status', {}, cookie), 200);
});

test('a bearer is the token where a token tells of itself, and refused where it is none or another', async () => {
  for (const path of SELF) {
    assert.equal(await statusOf(path, { authorization: `Bearer ${token}` }), 200);
    assert.equal(await statusOf(path, { authorization: `bearer ${token}`, 'x-vault-token': token }), 200);
    assert.equal(await statusOf(path, { authorization: `Bearer ${other}`, 'x-vault-token': token }), 403);
    for (const authorization of ['Bearer x', 'Bearer', `Basic ${token}`, token, `Bearer ${token} ${token}`])
      for (const more of [{}, { 'x-vault-token': token }]) assert.equal(await statusOf(path, { authorization, ...more }), 403, authorization);
  }
});

async function signInAdminAgain(): Promise<string> {
  return (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string;
}

test.run();
