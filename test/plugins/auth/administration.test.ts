// Administration of realms, admins and credentials: every row of the tables, who may what, and what must not be possible.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type People, people } from '../../people.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const databases = await testDatabases();
const PHC = '$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

for (const database of databases) {
  let server: TestServer;
  let they: People;
  let eve: string;
  let plain: string;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const as = (cookie: string | undefined) => ({
    get: (path: string) => server.ask('GET', path, { cookie }),
    post: (path: string, body: unknown) => server.ask('POST', path, { cookie, body }),
    put: (path: string, body?: unknown) => server.ask('PUT', path, { cookie, ...(body === undefined ? {} : { body }) }),
    del: (path: string, body?: unknown) => server.ask('DELETE', path, { cookie, ...(body === undefined ? {} : { body }) }),
  });

  test(name('the people of these tests'), async () => {
    server = await startServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    await they.realm('mine');
    await they.realm('theirs');
    eve = await they.realmAdmin('mine', 'eve');
    await they.user('mine', 'plain', 'plain password');
    plain = await they.session('mine', 'plain', 'plain password');
  });

  test(
    name('POST /admins/realms, GET /admins/realms/{realm_id}, PUT /admins/realms/{realm_id}, DELETE /admins/realms/{realm_id}: 201 200 204 400 404 409'),
    async () => {
      const root = as(they.root);
      const created = await root.post('/admins/realms', {
        id: 'made',
        auth_params: { totp_params: { algorithm: 'SHA256', step: 60 } },
        session_max_age_seconds: 7_200,
      });
      const expected = {
        id: 'made',
        auth_params: { totp_params: { algorithm: 'SHA256', step: 60 } },
        session_max_age_seconds: 7_200,
        session_max_stale_age_seconds: 3_600,
        certificate_max_age_seconds: 31_536_000,
        password_max_age_seconds: 0,
      };
      assert.deepEqual([created.status, created.body], [201, expected]);
      assert.deepEqual((await root.get('/admins/realms/made')).body, expected);
      const again = await root.post('/admins/realms', { id: 'made' });
      assert.deepEqual([again.status, again.body.code], [409, 'AUTH_EXISTS']);
      const updated = await root.put('/admins/realms/made', { id: 'other', session_max_age_seconds: 1 });
      assert.deepEqual([updated.status, updated.body.id, updated.body.session_max_age_seconds, updated.body.auth_params], [200, 'made', 1, {}]);
      for (const body of [
        { id: 'a b' },
        { id: '' },
        {},
        { id: 'x'.repeat(65) },
        { id: 'n', session_max_age_seconds: 0 },
        { id: 'n', session_max_stale_age_seconds: 0 },
        { id: 'n', password_max_age_seconds: 1 },
        { id: 'n', certificate_max_age_seconds: 315_360_001 },
        { id: 'n', unknown: 1 },
        { id: 'n', auth_params: { totp_params: { algorithm: 'MD5' } } },
        { id: 'n', auth_params: { totp_params: { step: 14 } } },
      ]) {
        assert.equal((await root.post('/admins/realms', body)).status, 400, JSON.stringify(body));
      }
      const { errors } = (await root.post('/admins/realms', { id: 'n', password_max_age_seconds: 59 })).body;
      assert.deepEqual(errors, ['body/password_max_age_seconds: must be 0 for no limit, or at least 60 seconds']);
      const provider = (jwt_issuer_uri: string, jwks_uri: string) => ({ jwt_issuer_uri, jwks_uri, jwt_audience: 'a' });
      const jwt = (...idp_params: unknown[]) => root.post('/admins/realms', { id: 'n', auth_params: { jwt_params: { idp_params } } });
      assert.equal((await jwt(provider('i', 'http://example.org/jwks'))).status, 400);
      assert.equal((await jwt(provider('i', 'https://a/jwks'), provider('i', 'https://b/jwks'))).status, 400);
      assert.equal((await jwt(provider('i', 'https://a/jwks'), provider('j', 'http://127.0.0.1:1/jwks'))).status, 201);
      assert.equal((await root.get('/admins/realms/nowhere')).status, 404);
      assert.equal((await root.put('/admins/realms/nowhere', {})).status, 404);
      assert.equal((await root.get('/admins/realms/..%2F_')).status, 404);
      for (let times = 0; times < 2; times++) assert.equal((await root.del('/admins/realms/made')).status, 204);
      assert.equal((await root.del('/admins/realms/n')).status, 204);
      assert.equal((await root.get('/admins/realms/made')).status, 404);
    },
  );

  test(name('GET /admins/realms: super admins see all, realm admins their own, others 403, nobody 401'), async () => {
    assert.deepEqual(
      (await as(they.root).get('/admins/realms')).body.map(({ id }: { id: string }) => id),
      ['_', 'mine', 'theirs'],
    );
    assert.deepEqual(
      (await as(eve).get('/admins/realms')).body.map(({ id }: { id: string }) => id),
      ['mine'],
    );
    assert.deepEqual([(await as(plain).get('/admins/realms')).status, (await as(undefined).get('/admins/realms')).status], [403, 401]);
  });

  test(name('realm admins read their realm only, and change none: 403 whether it exists or not'), async () => {
    assert.equal((await as(eve).get('/admins/realms/mine')).status, 200);
    for (const id of ['theirs', '_', 'nowhere']) assert.equal((await as(eve).get(`/admins/realms/${id}`)).status, 403, id);
    assert.equal((await as(eve).put('/admins/realms/mine', {})).status, 403);
    assert.equal((await as(eve).del('/admins/realms/mine')).status, 403);
    assert.equal((await as(eve).post('/admins/realms', { id: 'new' })).status, 403);
  });

  test(name('POST /admins, GET /admins, GET /admins/{admin_id}, PUT /admins/{admin_id}, DELETE /admins/{admin_id}: 201 200 204 400 404 409'), async () => {
    const root = as(they.root);
    const admin = { id: 'ada', realms: ['mine', 'theirs'], userpass: 'ada', jwt: null, fido2: 'f', digital_credentials: { a: 'b' }, client_certificate: null };
    const answer = { ...admin, totp_enabled: false, totp_secret: null, totp_auth_url: null };
    const created = await root.post('/admins', { ...admin, totp_enabled: true, totp_secret: 'AAAA', totp_auth_url: 'otpauth://x' });
    assert.deepEqual([created.status, created.body], [201, answer]);
    assert.deepEqual((await root.get('/admins/ada')).body, answer);
    assert.equal((await root.post('/admins', admin)).status, 409);
    assert.ok((await root.get('/admins')).body.some(({ id }: { id: string }) => id === 'ada'));
    const updated = await root.put('/admins/ada', { id: 'other', realms: ['mine'], userpass: 'ada' });
    assert.deepEqual([updated.status, updated.body.id, updated.body.realms, updated.body.fido2], [200, 'ada', ['mine'], null]);
    for (const body of [
      { id: 'realms', realms: [] },
      { id: 'userpass', realms: [] },
      { id: 'a/b', realms: [] },
      { id: 'x'.repeat(1_000), realms: [] },
      { realms: [] },
      { id: 'n' },
      { id: 'n', realms: ['nowhere'] },
      { id: 'n', realms: [], x: 1 },
      ...['a/b', 'a:b', 'a\n', '*', '..', ''].map((client_certificate) => ({ id: 'n', realms: [], client_certificate })),
      ...['a\n', '\u0085', 'x'.repeat(256), ''].map((jwt) => ({ id: 'n', realms: [], jwt })),
    ]) {
      assert.equal((await root.post('/admins', body)).status, 400, JSON.stringify(body).slice(0, 60));
    }
    const widest = { realms: [], jwt: `https://idp.example/#${'e\u0301'.repeat(234)}`, client_certificate: ' Ada, Lovelace ' };
    assert.equal((await root.put('/admins/ada', widest)).body.jwt, widest.jwt.normalize());
    assert.equal((await root.get('/admins/nobody')).status, 404);
    assert.equal((await root.put('/admins/nobody', { realms: [] })).status, 404);
    for (let times = 0; times < 2; times++) assert.equal((await root.del('/admins/ada')).status, 204);
  });

  test(name('PUT /admins/{admin_id}/realms/{realm_id}, DELETE /admins/{admin_id}/realms/{realm_id}: 200 with the admin, 404 for what is missing'), async () => {
    const root = as(they.root);
    await root.post('/admins', { id: 'bob', realms: [] });
    assert.deepEqual((await root.put('/admins/bob/realms/mine')).body.realms, ['mine']);
    assert.deepEqual((await root.put('/admins/bob/realms/mine')).body.realms, ['mine']);
    assert.deepEqual((await root.del('/admins/bob/realms/mine')).body.realms, []);
    assert.deepEqual(
      [
        (await root.del('/admins/bob/realms/mine')).status,
        (await root.put('/admins/bob/realms/nowhere')).status,
        (await root.put('/admins/nobody/realms/mine')).status,
      ],
      [200, 404, 404],
    );
    await root.del('/admins/bob');
  });

  test(name('a realm admin works on admins they own, and on no other'), async () => {
    const mine = as(eve);
    assert.equal((await mine.get('/admins')).status, 403);
    for (const realms of [[], ['theirs'], ['mine', 'theirs'], ['_'], ['mine', '_']])
      assert.equal((await mine.post('/admins', { id: 'x', realms })).status, 403, String(realms));
    assert.equal((await mine.post('/admins', { id: 'helper', realms: ['mine'], userpass: 'helper' })).status, 201);
    assert.equal((await mine.get('/admins/helper')).status, 200);
    for (const realms of [['mine', '_'], ['theirs'], []]) assert.equal((await mine.put('/admins/helper', { realms })).status, 403, String(realms));
    assert.equal((await mine.put('/admins/helper/realms/theirs')).status, 403);
    assert.equal((await mine.put('/admins/helper', { realms: ['mine'], userpass: 'h2' })).status, 200);
    for (const other of ['admin', 'nobody']) {
      assert.deepEqual(
        [
          (await mine.get(`/admins/${other}`)).status,
          (await mine.put(`/admins/${other}`, { realms: ['mine'] })).status,
          (await mine.del(`/admins/${other}`)).status,
        ],
        [403, 403, 403],
      );
      assert.deepEqual([(await mine.put(`/admins/${other}/realms/mine`)).status, (await mine.del(`/admins/${other}/realms/mine`)).status], [403, 403]);
    }
    await as(they.root).put('/admins/helper/realms/theirs');
    assert.deepEqual([(await mine.get('/admins/helper')).status, (await mine.del('/admins/helper')).status], [403, 403]);
    await as(they.root).del('/admins/helper');
    assert.equal((await as(plain).get('/admins/admin')).status, 403);
  });

  // covers: GET /realms/{realm_id}/userpass
  // covers: GET /realms/{realm_id}/userpass/{username}
  // covers: PUT /realms/{realm_id}/userpass/{username}
  test(
    name('POST /realms/{realm_id}/userpass, GET, PUT, DELETE /realms/{realm_id}/userpass/{username}, GET /admins/userpass: 201 200 204 400 404 409'),
    async () => {
      const root = as(they.root);
      const path = '/realms/mine/userpass';
      const body = {
        realm: 'other',
        username: 'carol',
        password_hash: 'ignored',
        password_input: { plaintext: 'carol password' },
        change_password: false,
        roles: ['reader'],
        extra_claims: { team: 'a' },
      };
      const answer = { realm: 'mine', username: 'carol', password_hash: '', change_password: false, roles: ['reader'], extra_claims: { team: 'a' } };
      const created = await root.post(path, body);
      assert.deepEqual([created.status, created.body], [201, answer]);
      assert.equal((await root.post(path, body)).status, 409);
      assert.deepEqual((await root.get(`${path}/carol`)).body, answer);
      assert.deepEqual(
        (await root.get(path)).body.map(({ username }: { username: string }) => username),
        ['carol', 'eve', 'plain'],
      );
      assert.deepEqual((await root.get(path)).body[0], answer);
      assert.ok(
        (await root.get(path)).body.every(({ password_hash: hash, realm }: { password_hash: string; realm: string }) => hash === '' && realm === 'mine'),
      );
      const everywhere = (await root.get('/admins/userpass')).body.map(({ realm, username }: { realm: string; username: string }) => `${realm}/${username}`);
      assert.deepEqual(everywhere, ['_/admin', 'mine/carol', 'mine/eve', 'mine/plain']);
      assert.deepEqual([(await as(eve).get('/admins/userpass')).status, (await as(eve).get(`${path}/carol`)).status], [403, 200]);
      const session = await they.session('mine', 'carol', 'carol password');
      assert.deepEqual([(await as(session).get('/whoami')).body.roles, (await as(session).get('/whoami')).body.team], [['reader'], 'a']);
      assert.equal((await root.put(`${path}/carol`, { roles: ['reader'], extra_claims: { team: 'a' }, change_password: false })).status, 200);
      assert.equal((await as(session).get('/whoami')).status, 200);
      const updated = await root.put(`${path}/carol`, { username: 'ignored', roles: ['writer'] });
      assert.deepEqual(updated.body, { ...answer, roles: ['writer'], extra_claims: null });
      assert.equal((await as(session).get('/whoami')).status, 401);
      const renewed = await they.session('mine', 'carol', 'carol password');
      assert.equal((await root.put(`${path}/carol`, { password_input: { plaintext: 'changed password' } })).status, 200);
      assert.equal((await as(renewed).get('/whoami')).status, 401);
      assert.equal((await they.signIn('mine', 'carol', 'carol password')).status, 401);
      const last = await they.session('mine', 'carol', 'changed password');
      for (let times = 0; times < 2; times++) assert.equal((await root.del(`${path}/carol`)).status, 204);
      assert.equal((await as(last).get('/whoami')).status, 401);
      assert.deepEqual(
        [(await root.get(`${path}/carol`)).status, (await root.put(`${path}/carol`, {})).status, (await root.get('/realms/nowhere/userpass')).status],
        [404, 404, 404],
      );
      assert.deepEqual([(await root.post('/realms/nowhere/userpass', body)).status, (await root.get(`${path}/a%2Fb`)).status], [404, 404]);
    },
  );

  test(name('a refusal names what is wrong with the form that was sent, and no other form'), async () => {
    const post = async (members: Record<string, unknown>) =>
      (await as(they.root).post('/realms/mine/userpass', { username: 'dave', password_input: { plaintext: 'dave password' }, ...members })).body.message;
    assert.match(await post({ password_input: { hashed: 'not a hash' } }), /hashed: must be a PHC string/);
    assert.match(await post({ password_input: { plaintext: 5 } }), /plaintext: must be string/);
    assert.match(await post({ extra_claims: { sub: 1 } }), /extra_claims: must be without the reserved names iss, sub/);
    assert.match((await as(they.root).post('/admins/realms', { id: 'n', auth_params: { other: 1 } })).body.message, /auth_params\/other: unknown member/);
  });

  test(name('credentials that cannot be: 400'), async () => {
    const root = as(they.root);
    const post = (members: Record<string, unknown>) =>
      root.post('/realms/mine/userpass', { username: 'dave', password_input: { plaintext: 'dave password' }, ...members });
    const hashed = (text: string) => ({ password_input: { hashed: text } });
    const wrong = [
      { password_input: undefined },
      { password_input: {} },
      { password_input: { plaintext: 'x', hashed: PHC } },
      { password_input: { plaintext: 'short' } },
      { password_input: { plaintext: 'x'.repeat(1_025) } },
      { username: 'dave smith', password_input: { plaintext: 'dave smith' } },
      hashed('not a hash'),
      hashed(PHC.replace('argon2id', 'argon2i')),
      hashed(PHC.replace('t=3', 't=2')),
      hashed(PHC.replace('m=65536', 'm=4096')),
      hashed(PHC.replace('v=19', 'v=16')),
      hashed(PHC.replace('p=4$', 'p=4,keyid=AA$')),
      hashed(`${PHC}=`),
      hashed('$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'),
      ...['a:b', 'a/b', '.', '..', '*', '', 'a\u0000b', 'x'.repeat(256)].map((username) => ({ username })),
      ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'roles', 'as_as', 'as_rid', 'realm_id', 'auth_scheme', 'verification_key'].map((claim) => ({
        extra_claims: { [claim]: 1 },
      })),
      { extra_claims: { big: 'x'.repeat(4_087) } },
      { extra_claims: [] },
      { roles: [1] },
      { roles: null },
      { change_password: 'yes' },
    ];
    for (const members of wrong) assert.equal((await post(members)).status, 400, JSON.stringify(members).slice(0, 100));
    assert.match((await post({ username: `q${'\u0302'.repeat(31)}` })).body.message, /30 combining marks in a row/);
    assert.equal((await post({ extra_claims: { big: 'x'.repeat(4_086), as_registrant: 1 } })).status, 400);
    assert.equal((await post({ username: 'dave1', extra_claims: { big: 'é'.repeat(2_043) } })).status, 201);
    assert.equal((await post({ username: 'dave2', extra_claims: { as_registrant: 'legal' }, ...hashed(PHC) })).status, 201);
    assert.equal((await root.put('/realms/mine/userpass/dave1', { password_input: { plaintext: 'dave password' } })).status, 400);
  });

  test(name('the password of a supplied hash signs in; change_password leads to ChangePassword'), async () => {
    const { hashSync } = await import('@node-rs/argon2');
    const phc = hashSync('from elsewhere', { algorithm: 2, memoryCost: 65_536, timeCost: 3, parallelism: 4 });
    assert.equal(
      (await as(they.root).post('/realms/mine/userpass', { username: 'import', password_input: { hashed: phc }, change_password: true })).status,
      201,
    );
    assert.equal((await they.signIn('mine', 'import', 'from elsewhere')).body.next_step, 'ChangePassword');
    assert.equal((await they.signIn('mine', 'import', 'from elsewhere', { new_password: 'of my own now' })).body.next_step, 'Authenticated');
    assert.equal((await they.signIn('mine', 'import', 'of my own now')).body.next_step, 'Authenticated');
  });

  test(name('a realm admin who creates a credential named like a super admin or another admin gains nothing'), async () => {
    assert.equal((await as(eve).post('/realms/mine/userpass', { username: 'admin', password_input: { plaintext: 'eves own choice' } })).status, 201);
    const fake = await they.session('mine', 'admin', 'eves own choice');
    assert.deepEqual(
      [(await as(fake).get('/admins')).status, (await as(fake).get('/admins/realms/_')).status, (await as(fake).get('/admins/realms/mine')).status],
      [403, 403, 403],
    );
    await they.realmAdmin('theirs', 'zoe');
    await as(eve).post('/realms/mine/userpass', { username: 'zoe', password_input: { plaintext: 'eves own choice' } });
    const zoe = await they.session('mine', 'zoe', 'eves own choice');
    assert.deepEqual([(await as(zoe).get('/admins/realms/theirs')).status, (await as(zoe).get('/realms/mine/userpass')).status], [403, 403]);
    assert.equal((await as(eve).post('/realms/_/userpass', { username: 'x', password_input: { plaintext: 'eves own choice' } })).status, 403);
    assert.equal((await as(eve).put('/realms/_/userpass/admin', { password_input: { plaintext: 'eves own choice' } })).status, 403);
  });

  test(name('an admin of several realms who signs in to one has rights for that one only; changes count for the very next request'), async () => {
    const both = await they.realmAdmin('mine', 'max', ['mine', 'theirs']);
    assert.deepEqual([(await as(both).get('/realms/mine/userpass')).status, (await as(both).get('/realms/theirs/userpass')).status], [200, 403]);
    await as(they.root).del('/admins/mine-max/realms/mine');
    assert.equal((await as(both).get('/realms/mine/userpass')).status, 403);
    await as(they.root).put('/admins/mine-max/realms/mine');
    assert.equal((await as(both).get('/realms/mine/userpass')).status, 200);
    await as(they.root).del('/admins/mine-max');
    assert.equal((await as(both).get('/whoami')).status, 401);
  });

  test(name('no way leads to a server without a super admin: 409'), async () => {
    const root = as(they.root);
    const refused = [
      await root.del('/admins/realms/_'),
      await root.del('/admins/admin'),
      await root.del('/admins/admin/realms/_'),
      await root.put('/admins/admin', { realms: ['mine'], userpass: 'admin' }),
      await root.put('/admins/admin', { realms: ['_'], userpass: null }),
      await root.put('/admins/admin', { realms: ['_'], userpass: 'nobody' }),
      await root.put('/admins/admin', { realms: ['_'], jwt: 'no provider' }),
      await root.put('/admins/admin', { realms: ['_'], client_certificate: 'no certificates asked for' }),
      await root.del('/realms/_/userpass/admin'),
      await root.put('/admins/realms/_', { auth_params: { username_password_params: { enabled: false } } }),
    ];
    for (const { status, body } of refused) assert.deepEqual([status, body.code], [409, 'AUTH_LAST_SUPER_ADMIN']);
    assert.equal((await root.get('/admins')).status, 200);
    await they.user('_', 'second', 'second password');
    assert.equal((await root.post('/admins', { id: 'second', realms: ['_'], userpass: 'second' })).status, 201);
    assert.equal((await root.put('/admins/admin', { realms: ['mine'], userpass: 'admin' })).status, 200);
    assert.equal((await root.get('/admins')).status, 401);
    const second = as(await they.session('_', 'second', 'second password'));
    assert.equal((await second.put('/admins/admin', { realms: ['_'], userpass: 'admin' })).status, 200);
    assert.equal((await second.del('/admins/second')).status, 204);
    assert.equal((await second.get('/whoami')).status, 401);
    they = people(server, await they.session('_', 'admin', 'a new password'));
  });

  test(name('deleting a realm ends its sessions, credentials and memberships'), async () => {
    await they.realm('gone');
    const admin = await they.realmAdmin('gone', 'gus');
    assert.equal((await as(they.root).del('/admins/realms/gone')).status, 204);
    assert.equal((await as(admin).get('/whoami')).status, 401);
    assert.equal((await they.signIn('gone', 'gus', 'gus password')).status, 401);
    assert.deepEqual((await as(they.root).get('/admins/gone-gus')).body.realms, []);
    await they.realm('gone');
    assert.deepEqual((await as(they.root).get('/realms/gone/userpass')).body, []);
  });

  test(name('without a session every administration endpoint is 401'), async () => {
    const nobody = as(undefined);
    for (const path of [
      '/admins',
      '/admins/x',
      '/admins/realms',
      '/admins/realms/_',
      '/admins/userpass',
      '/realms/_/userpass',
      '/realms/_/userpass/x',
      '/audit',
    ])
      assert.equal((await nobody.get(path)).status, 401, path);
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
