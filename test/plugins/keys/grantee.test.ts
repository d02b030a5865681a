// Whom a right can be given to and taken from: names that a caller can have, whoever has them now, and never the owner.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type SecureServer, startSecureServer } from '../../secure-server.ts';
import { type Answer, type Ask, signInAdmin } from '../../server.ts';

const OWNER = 'owner@acme.com';
let server: SecureServer;
let owner: Ask;
let admin: Ask;
let id: string;

test.before(async () => {
  server = await startSecureServer();
  owner = server.as(await server.client(OWNER));
  const cookie = await signInAdmin(server);
  admin = (method, path, options) => server.ask(method, path, { cookie, ...options });
  const made = await owner('POST', '/v1/crypto/keys', { body: { kty: 'oct', alg: 'A256GCM' } });
  assert.equal(made.status, 200, made.text);
  id = made.body.kid;
});
test.after(() => server?.end());

const change = (verb: 'grant' | 'revoke', user: string): Promise<Answer> =>
  owner('POST', `/access/${verb}`, { body: { unique_identifier: id, user_id: user, operation_types: ['get'] } });
const granted = async (): Promise<string[]> => (await owner('GET', `/access/list/${id}`)).body.map(({ user_id: user }: { user_id: string }) => user);

async function outcome(verb: 'grant' | 'revoke', user: string): Promise<unknown> {
  const { status, body } = await change(verb, user);
  return status === 200 ? status : [status, body.code];
}

test('a name has 1 to 512 characters, none of them a control character', async () => {
  const long = 'x'.repeat(512);
  for (const verb of ['grant', 'revoke'] as const) {
    for (const user of ['', `${long}x`, 'a\u0000b', 'a\nb', '\u009f']) assert.deepEqual(await outcome(verb, user), [400, 'BAD_REQUEST'], `${verb} ${user}`);
    assert.equal(await outcome(verb, long), 200);
    // However long the name is: the log tells which right.
    const { events } = (await admin('GET', `/audit?event=key.grant${verb === 'grant' ? '' : '.revoke'}`)).body;
    assert.equal(events.at(-1).reason, `${long}: get`);
  }
});

test('and the form of one: what can be no caller is refused', async () => {
  for (const verb of ['grant', 'revoke'] as const)
    for (const user of ['a:b', 'account:00000000-0000-4000-8000-000000000000', 'idp:google/sub:1', 'no realm/ada', 'approle:a/b', 'jwt:google'])
      assert.deepEqual(await outcome(verb, user), [400, 'BAD_REQUEST'], `${verb} ${user}`);
  const forms = ['ada', '*', 'team/ada', 'team/*', 'approle:web', 'cluster:pods/prod/app', 'jwt:google/sub:1', 'jwt:google/ada@acme.com'];
  for (const user of forms) assert.equal(await outcome('grant', user), 200, user);
  assert.deepEqual(await granted(), [...forms].sort());
  for (const user of forms) assert.equal(await outcome('revoke', user), 200, user);
  assert.deepEqual(await granted(), []);
});

test('the owner neither gives to nor takes from themselves', async () => {
  for (const verb of ['grant', 'revoke'] as const) assert.deepEqual(await outcome(verb, OWNER), [403, 'KEYS_GRANT_SELF']);
});

test('what is taken from a name that nobody has any more changes nothing, and is in the audit log', async () => {
  const role = (method: 'POST' | 'DELETE') => admin(method, '/auth/approle/role/gone', method === 'POST' ? { body: {} } : {});
  assert.equal((await role('POST')).status, 204);
  assert.equal(await outcome('grant', 'approle:gone'), 200);
  assert.equal((await role('DELETE')).status, 204);
  const before = await granted();
  assert.equal(await outcome('revoke', 'approle:gone'), 200);
  assert.deepEqual(await granted(), before);
  const { events } = (await admin('GET', '/audit?event=key.grant.revoke')).body;
  const last = events.at(-1);
  assert.deepEqual([last.outcome, last.actor, last.target, last.reason], ['success', OWNER, id, 'approle:gone: get']);
});

test.run();
