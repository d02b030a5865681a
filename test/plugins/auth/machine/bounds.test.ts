// Roles, secret ids and tokens that are bound to networks or to numbers of uses, on each database.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { testDatabases } from '../../../stores.ts';
import { type Machine, refusal, startMachine } from './setup.ts';

const databases = await testDatabases();
test.after(async () => {
  for (const database of databases) await database.stop();
});

const NEAR = '192.0.2.7';
const FAR = '198.51.100.7';
const DENIED = [403, 'AUTH_TOKEN_DENIED'];
const REFUSED = [400, 'AUTH_ROLE_DENIED'];

for (const database of databases) {
  let machine: Machine;
  const on = (title: string, run: () => Promise<void>) => test(`${database.dialect}: ${title}`, run);
  const from = (address: string, token?: string) => ({ headers: { 'x-forwarded-for': address, ...(token !== undefined && { 'x-app-token': token }) } });
  const signIn = (address: string, role_id: string, secret_id?: string) => machine.post('/approle/login', { role_id, secret_id }, from(address));
  const tokenOf = async (address: string, roleId: string, secretId?: string): Promise<string> =>
    (await signIn(address, roleId, secretId)).body.auth.client_token;
  const own = (address: string, token: string, action = 'lookup') =>
    machine.server.ask(action === 'lookup' ? 'GET' : 'POST', `/auth/token/${action}-self`, from(address, token));
  const introspect = (address: string, token: string) => machine.server.ask('POST', '/sessions/introspect', { body: { cookie: 'x' }, ...from(address, token) });

  on('starts behind a proxy that tells addresses', async () => {
    machine = await startMachine(database, { config: '[http]\ntrusted_proxies = ["127.0.0.1"]\n' });
  });

  on('a role, or one of its secret ids, bound to networks signs in from them only, and the refusal uses nothing up', async () => {
    const roleId = await machine.makeRole('near', { secret_id_bound_cidrs: ['192.0.2.0/24', '2001:db8::/32'] });
    const { secret_id: once } = await machine.makeSecretId('near', { num_uses: 1, cidr_list: '192.0.2.7, 2001:db8::1' });
    for (const address of [FAR, '192.0.2.8', '2001:db9::1', '2001:db8::2']) assert.deepEqual(refusal(await signIn(address, roleId, once)), REFUSED);
    assert.equal((await signIn('2001:db8::1', roleId, once)).status, 200);
    assert.deepEqual(refusal(await signIn(NEAR, roleId, once)), [403, 'AUTH_SECRET_ID_EXHAUSTED']);
    const { secret_id: wider } = await machine.makeSecretId('near', { cidr_list: [FAR] });
    assert.deepEqual(refusal(await signIn(FAR, roleId, wider)), REFUSED);
    const open = await machine.makeRole('open', { bind_secret_id: false, secret_id_bound_cidrs: NEAR });
    assert.deepEqual([(await signIn(NEAR, open)).status, (await signIn(FAR, open)).status], [200, 400]);
    const rows = (await machine.audit('approle.login')).filter((row) => row.includes('refused'));
    assert.ok(rows.length > 4 && rows.every((row) => row.endsWith('the address is in none of the networks that it is bound to') || row.includes('exhausted')));
  });

  on('a token bound to networks is none elsewhere, whatever it is used for, also where it was used before', async () => {
    const roleId = await machine.makeRole('bound', { bind_secret_id: true, token_bound_cidrs: ['192.0.2.0/24'], token_policies: ['sessions:read:r'] });
    const { secret_id: secretId } = await machine.makeSecretId('bound', { token_bound_cidrs: [`${NEAR}/32`] });
    assert.deepEqual(refusal(await signIn(FAR, roleId, secretId)), REFUSED);
    const token = await tokenOf('192.0.2.200', roleId, secretId);
    for (const action of ['lookup', 'renew', 'revoke'])
      for (const address of [FAR, '192.0.2.200']) assert.deepEqual(refusal(await own(address, token, action)), DENIED);
    assert.equal((await introspect(NEAR, token)).status, 200);
    assert.equal((await introspect(FAR, token)).status, 401);
    assert.equal((await own(NEAR, token)).status, 200);
    assert.deepEqual(refusal(await own(FAR, token)), DENIED);
    const other = await tokenOf(FAR, await machine.makeRole('free', { bind_secret_id: false }));
    assert.deepEqual(refusal(await machine.post('/token/lookup', { token }, from(FAR, other))), DENIED);
    assert.equal((await machine.server.ask('GET', '/v1/auth/token/lookup-self', from(NEAR, token))).body.data.bound_cidrs[0], `${NEAR}/32`);
    assert.equal((await own(NEAR, token, 'revoke')).status, 204);
  });

  on('a token of limited uses counts each request that it makes, and the last one revokes it', async () => {
    const roleId = await machine.makeRole('few', { bind_secret_id: false, token_num_uses: 4, token_policies: ['sessions:read:r'] });
    const token = await tokenOf(NEAR, roleId);
    assert.equal((await introspect(NEAR, token)).status, 200);
    const shown = await machine.server.ask('GET', '/v1/auth/token/lookup-self', from(NEAR, token));
    assert.equal(shown.body.data.num_uses, 2);
    assert.equal((await own(NEAR, token, 'renew')).status, 200);
    const other = await tokenOf(NEAR, await machine.makeRole('free', { bind_secret_id: false }));
    assert.equal((await machine.post('/token/lookup', { token }, from(NEAR, other))).status, 200);
    assert.equal((await own(NEAR, token)).status, 200);
    assert.deepEqual(refusal(await own(NEAR, token)), DENIED);
    assert.equal((await introspect(NEAR, token)).status, 401);
    assert.ok((await machine.audit('token.revoke')).some((row) => row.endsWith('this was its last use')));
  });

  on('of many requests at once a token makes as many as it has uses', async () => {
    const roleId = await machine.makeRole('few', { bind_secret_id: false, token_num_uses: 3, token_policies: ['sessions:read:r'] });
    const token = await tokenOf(NEAR, roleId);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? own(NEAR, token) : introspect(NEAR, token))));
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    const last = await tokenOf(NEAR, await machine.makeRole('one', { bind_secret_id: false, token_num_uses: 1 }));
    assert.deepEqual(refusal(await own(NEAR, last, 'renew')), DENIED);
    assert.deepEqual(refusal(await own(NEAR, last)), DENIED);
  });

  on('secret ids have as many uses as their role says, and may ask for fewer', async () => {
    const roleId = await machine.makeRole('twice', { secret_id_num_uses: 2 });
    for (const [asked, uses] of [
      [undefined, 2],
      [0, 2],
      [1, 1],
    ]) {
      const { secret_id: secretId } = await machine.makeSecretId('twice', { num_uses: asked });
      for (let use = 0; use < (uses as number); use++) assert.equal((await signIn(NEAR, roleId, secretId)).status, 200);
      assert.equal((await signIn(NEAR, roleId, secretId)).status, 403);
    }
    const more = await machine.admin('POST', '/approle/role/twice/secret-id', { num_uses: 3 });
    assert.deepEqual([more.status, more.body.message], [400, 'body/num_uses: must be <= 2, the secret_id_num_uses of the role, or 0 for as many']);
  });

  on('an entry that is no network is named, and nothing is made', async () => {
    for (const [path, member, given] of [
      ['approle/role/no', 'token_bound_cidrs', ['192.0.2.0/33']],
      ['approle/role/no', 'secret_id_bound_cidrs', '192.0.2.1,example.org'],
      ['approle/role/near/secret-id', 'cidr_list', ['2001:db8::/129']],
      ['approle/role/near/secret-id', 'token_bound_cidrs', ['10.0.0.0/8/8']],
    ] as const) {
      const answer = await machine.admin('POST', `/${path}`, { [member]: given });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.message, new RegExp(`^body/${member}(/0)?: must be (an IP address or a network|IP addresses or networks) such as 10.0.0.0/8`));
    }
    assert.equal((await machine.admin('GET', '/approle/role/no')).status, 404);
    const given = { token_bound_cidrs: ['192.0.2.0/24'], token_num_uses: 5, secret_id_num_uses: 6, secret_id_bound_cidrs: ['::1'] };
    await machine.makeRole('shown', given);
    const { data } = (await machine.admin('GET', '/approle/role/shown')).body;
    assert.deepEqual({ ...data, ...given }, data);
  });

  on('stops', () => machine.server.end());
}

test.run();
