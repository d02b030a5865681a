// Second factors: enrolment, login, replay, who may what; and the lock after too many failures.
import assert from 'node:assert/strict';
import { TOTP } from 'otpauth';
import { test } from 'uvu';
import { type People, people } from '../../people.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

// A password hash takes long enough for other requests to arrive during a sign-in.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'middle';

const databases = await testDatabases();
const MINUTE_MS = 60_000;

for (const database of databases) {
  let server: TestServer;
  let they: People;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const verify = (cookie: string, body: Record<string, unknown>) => server.ask('POST', '/realms/r/totp/verify', { cookie, body: { issuer: 'x', ...body } });

  test(name('the people of these tests'), async () => {
    const proxies = '[http]\ntrusted_proxies = ["127.0.0.1"]\n';
    server = await startServer({ config: database.dialect === 'sqlite' ? proxies : `${proxies}[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    await they.realm('r');
    for (const user of ['ann', 'ben', 'cat', 'dan', 'eva', 'fay']) await they.user('r', user, `${user} password`);
  });

  test(name('POST /realms/{realm_id}/totp/generate stores nothing; POST /realms/{realm_id}/totp/verify enables: 200 empty, 400 for a wrong code'), async () => {
    const cookie = await they.session('r', 'ann', 'ann password');
    const generated = await server.ask('POST', '/realms/r/totp/generate', { cookie, body: { username: 'ann', issuer: 'Acme: Inc' } });
    assert.equal(generated.status, 200);
    const url = new URL(generated.body.otpauth_url);
    assert.deepEqual(
      ['issuer', 'secret', 'algorithm', 'digits', 'period'].map((key) => url.searchParams.get(key)),
      ['Acme  Inc', generated.body.secret_base32, 'SHA1', '6', '30'],
    );
    assert.equal((await they.signIn('r', 'ann', 'ann password')).body.next_step, 'Authenticated');
    const totp = new TOTP({ secret: generated.body.secret_base32, digits: 6, period: 30 });
    const wrong = { username: 'ann', token: they.code(totp, 10), secret: generated.body.secret_base32 };
    assert.deepEqual([(await verify(cookie, wrong)).status, (await verify(cookie, wrong)).body.code], [400, 'AUTH_CODE_INVALID']);
    for (const secret of ['AAAA', 'not base32!', 'A'.repeat(110)]) assert.equal((await verify(cookie, { ...wrong, secret })).status, 400, secret);
    const right = await verify(cookie, { ...wrong, token: they.code(totp) });
    assert.deepEqual([right.status, right.text], [200, '']);
    // Enrolment uses no code up: the login may come within the same step.
    assert.equal((await they.signIn('r', 'ann', 'ann password', { totp_code: they.code(totp) })).body.next_step, 'Authenticated');
  });

  test(name('POST /login: TotpRequired without a code, Authenticated with it, 401 with a wrong one; a code signs in once'), async () => {
    const totp = await they.enrol('r', 'ben', await they.session('r', 'ben', 'ben password'));
    const asked = await they.signIn('r', 'ben', 'ben password');
    assert.deepEqual([asked.status, asked.body, asked.cookie], [200, { next_step: 'TotpRequired', session_id: null }, undefined]);
    for (const totp_code of ['000000', 'abcdef', '', '1234567'])
      assert.equal((await they.signIn('r', 'ben', 'ben password', { totp_code })).status, 401, totp_code);
    assert.equal((await they.signIn('r', 'ben', 'wrong', { totp_code: they.code(totp) })).status, 401);
    // Texts, not steps of the moment: a step may end between two lines, and what is the present code then has signed nobody in.
    const [earlier, used] = [they.code(totp, -1), they.code(totp)];
    assert.equal((await they.signIn('r', 'ben', 'ben password', { totp_code: used })).body.next_step, 'Authenticated');
    for (const totp_code of [used, earlier]) assert.equal((await they.signIn('r', 'ben', 'ben password', { totp_code })).status, 401);
    await server.runtime.advance(16 * MINUTE_MS);
    const code = they.code(totp);
    const both = await Promise.all(Array.from({ length: 6 }, () => they.signIn('r', 'ben', 'ben password', { totp_code: code })));
    assert.equal(both.filter(({ status }) => status === 200).length, 1);
  });

  test(name('a code of the first answer may be used again when the password has to be changed'), async () => {
    const totp = await they.enrol('r', 'cat', await they.session('r', 'cat', 'cat password'));
    they = people(server, (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string);
    assert.equal((await server.ask('PUT', '/realms/r/userpass/cat', { cookie: they.root, body: { change_password: true } })).status, 200);
    const totp_code = they.code(totp);
    assert.equal((await they.signIn('r', 'cat', 'cat password', { new_password: 'a better one' })).body.next_step, 'TotpRequired');
    assert.equal((await they.signIn('r', 'cat', 'cat password', { totp_code })).body.next_step, 'ChangePassword');
    assert.equal((await they.signIn('r', 'cat', 'cat password', { totp_code, new_password: 'a better one' })).body.next_step, 'Authenticated');
    assert.equal((await they.signIn('r', 'cat', 'a better one', { totp_code })).status, 401);
  });

  test(name('DELETE /realms/{realm_id}/totp/{username}: users prove the factor they have, admins need not, and their removal ends sessions'), async () => {
    await server.runtime.advance(16 * MINUTE_MS);
    they = people(server, (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string);
    const before = await they.session('r', 'dan', 'dan password');
    const totp = await they.enrol('r', 'dan', before);
    const remove = (cookie: string, body?: Record<string, unknown>, user = 'dan') =>
      server.ask('DELETE', `/realms/r/totp/${user}`, { cookie, ...(body ? { body } : {}) });
    assert.deepEqual([(await remove(before)).status, (await remove(before, { totp_code: '000000' })).status], [403, 403]);
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const other = new TOTP({ secret, digits: 6, period: 30 });
    assert.equal((await verify(before, { username: 'dan', secret, token: they.code(other) })).status, 403);
    assert.equal((await remove(before, { totp_code: they.code(totp) })).status, 200);
    assert.equal((await they.signIn('r', 'dan', 'dan password')).body.next_step, 'Authenticated');
    assert.equal((await server.ask('GET', '/whoami', { cookie: before })).status, 200);
    await they.enrol('r', 'dan', before);
    for (let times = 0; times < 2; times++) assert.deepEqual([(await remove(they.root)).status, (await remove(they.root)).text], [200, '']);
    assert.equal((await server.ask('GET', '/whoami', { cookie: before })).status, 401);
    const eva = await they.session('r', 'eva', 'eva password');
    assert.deepEqual(
      [(await remove(eva, undefined, 'fay')).status, (await verify(eva, { username: 'fay', secret, token: they.code(other) })).status],
      [403, 403],
    );
    assert.equal((await server.ask('POST', '/realms/r/totp/generate', { cookie: eva, body: { username: 'fay', issuer: '' } })).status, 403);
    assert.equal((await server.ask('POST', '/realms/r/totp/generate', { cookie: they.root, body: { username: 'nobody', issuer: '' } })).status, 404);
  });

  test(name('algorithm and step are those of the realm at enrolment'), async () => {
    await they.realm('sha', { auth_params: { totp_params: { algorithm: 'SHA512', step: 60 } } });
    await they.user('sha', 'u', 'u password');
    const totp = await they.enrol('sha', 'u', await they.session('sha', 'u', 'u password'));
    assert.deepEqual([totp.algorithm, totp.period], ['SHA512', 60]);
    await server.ask('PUT', '/admins/realms/sha', { cookie: they.root, body: { auth_params: {} } });
    assert.equal((await they.signIn('sha', 'u', 'u password', { totp_code: they.code(totp) })).body.next_step, 'Authenticated');
    const admin = await server.ask('POST', '/admins', { cookie: they.root, body: { id: 'u', realms: ['sha'], userpass: 'u' } });
    assert.deepEqual([admin.body.totp_enabled, admin.body.totp_secret], [true, null]);
  });

  test(name('five failures lock a source out of that factor for fifteen minutes, in the same words, and unlock opens it'), async () => {
    const from = (source: string, password: string, body?: Record<string, unknown>) =>
      server.ask('POST', '/login?realm=r', { user: `eva:${password}`, headers: { 'x-forwarded-for': source }, ...(body ? { body } : {}) });
    for (let tried = 0; tried < 5; tried++) assert.equal((await from('203.0.113.1', 'guess')).status, 401);
    const locked = await from('203.0.113.1', 'eva password');
    const wrong = await from('203.0.113.2', 'guess');
    assert.deepEqual([locked.status, locked.body.code, locked.body.message], [wrong.status, wrong.body.code, wrong.body.message]);
    assert.equal((await from('203.0.113.2', 'eva password')).status, 200);
    await server.runtime.advance(15 * MINUTE_MS + 1_000);
    assert.equal((await from('203.0.113.1', 'eva password')).status, 200);
    for (let tried = 0; tried < 5; tried++) await from('2001:db8:1:2::1', 'guess');
    assert.equal((await from('2001:db8:1:2:ffff::9', 'eva password')).status, 401);
    assert.equal((await from('2001:db8:1:3::1', 'eva password')).status, 200);
    assert.equal((await server.ask('POST', '/realms/r/userpass/eva/unlock', { cookie: they.root })).status, 204);
    assert.equal((await from('2001:db8:1:2::1', 'eva password')).status, 200);
    assert.equal((await server.ask('POST', '/realms/r/userpass/nobody/unlock', { cookie: they.root })).status, 404);
  });

  test(name('guesses from many addresses lock the account for strangers, not for the place its owner signs in from'), async () => {
    const from = (source: string, password: string) =>
      server.ask('POST', '/login?realm=r', { user: `fay:${password}`, headers: { 'x-forwarded-for': source } });
    assert.equal((await from('198.51.100.7', 'fay password')).status, 200);
    for (let address = 0; address < 13; address++) await Promise.all(Array.from({ length: 4 }, () => from(`203.0.113.${address + 10}`, 'guess')));
    assert.equal((await from('203.0.113.99', 'fay password')).status, 401);
    assert.equal((await from('198.51.100.7', 'fay password')).status, 200);
    const { body } = await server.ask('GET', '/audit?realm=r&event=lockout', { cookie: they.root });
    assert.ok(body.events.some(({ target }: { target: string }) => target === 'password *'));
  });

  test(name('a right code that has been used is refused like a wrong one, and counts as no guess: logins at the same moment lock nobody out'), async () => {
    await they.user('r', 'gus', 'gus password');
    const cookie = await they.session('r', 'gus', 'gus password');
    const totp = await they.enrol('r', 'gus', cookie);
    const totp_code = they.code(totp);
    const all = await Promise.all(Array.from({ length: 16 }, () => they.signIn('r', 'gus', 'gus password', { totp_code })));
    assert.equal(all.filter(({ status }) => status === 200).length, 1);
    const again = await they.signIn('r', 'gus', 'gus password', { totp_code });
    const remove = (code: string) => server.ask('DELETE', '/realms/r/totp/gus', { cookie, body: { totp_code: code } });
    for (let tried = 0; tried < 5; tried++) assert.equal((await remove(totp_code)).status, 403);
    const { body } = await server.ask('GET', '/audit?realm=r&event=lockout&actor=gus', { cookie: they.root });
    assert.deepEqual(
      body.events.filter(({ target }: { target: string }) => target.startsWith('totp')),
      [],
    );
    // Guesses count as before, also between used codes.
    for (let tried = 0; tried < 4; tried++) {
      const wrong = await they.signIn('r', 'gus', 'gus password', { totp_code: they.code(totp, 20 + tried) });
      assert.deepEqual([wrong.status, wrong.body.code, wrong.body.message, wrong.body.errors], [401, again.body.code, again.body.message, again.body.errors]);
      assert.equal((await they.signIn('r', 'gus', 'gus password', { totp_code })).status, 401);
    }
    assert.equal((await they.signIn('r', 'gus', 'gus password', { totp_code: they.code(totp, 1) })).status, 200);
    for (let tried = 0; tried < 5; tried++) await they.signIn('r', 'gus', 'gus password', { totp_code: they.code(totp, 20 + tried) });
    assert.equal((await they.signIn('r', 'gus', 'gus password', { totp_code: they.code(totp, 1) })).status, 401);
    await server.runtime.advance(30_000);
    assert.equal((await they.signIn('r', 'gus', 'gus password', { totp_code: they.code(totp, 1) })).status, 401);
  });

  test(name('guessing codes is locked like guessing passwords'), async () => {
    await server.runtime.advance(16 * MINUTE_MS);
    they = people(server, (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string);
    const totp = await they.enrol('r', 'dan', await they.session('r', 'dan', 'dan password'));
    for (let tried = 0; tried < 5; tried++) assert.equal((await they.signIn('r', 'dan', 'dan password', { totp_code: they.code(totp, 20) })).status, 401);
    assert.equal((await they.signIn('r', 'dan', 'dan password', { totp_code: they.code(totp) })).status, 401);
    await server.runtime.advance(16 * MINUTE_MS);
    assert.equal((await they.signIn('r', 'dan', 'dan password', { totp_code: they.code(totp) })).body.next_step, 'Authenticated');
    await server.end();
  });
}

test('the rate limit: 429 with Retry-After beyond the burst, for each address by itself', async () => {
  const env = { GATEHOUSE_AUTH_LOGIN_RATE_PER_SECOND: '1', GATEHOUSE_AUTH_LOGIN_RATE_BURST: '10' };
  const server = await startServer({ env, config: '[http]\ntrusted_proxies = ["127.0.0.1"]\n' });
  const login = (source: string) => server.ask('POST', '/login?realm=_', { headers: { 'x-forwarded-for': source } });
  const start = performance.now();
  const first = await Promise.all(Array.from({ length: 40 }, () => login('203.0.113.1')));
  const limited = first.filter(({ status }) => status === 429);
  // Real time passes meanwhile, on a busy machine much of it.
  const allowed = 10 + Math.ceil((performance.now() - start) / 1000);
  const passed = first.length - limited.length;
  assert.ok(limited.length > 0 && passed >= 10 && passed <= allowed, `${passed} of ${allowed}`);
  assert.deepEqual([limited[0]?.body.code, limited[0]?.headers['retry-after']], ['AUTH_RATE_LIMITED', '1']);
  assert.equal((await login('203.0.113.2')).status, 401);
  await server.runtime.advance(1_000);
  assert.equal((await login('203.0.113.1')).status, 401);
  await server.end();
});

test('an old password leads to its change, or is let in where the realm allows it', async () => {
  const server = await startServer();
  const they = people(server, await signInAdmin(server));
  for (const [id, allow_expired_passwords] of [
    ['strict', false],
    ['lax', true],
  ] as const) {
    await they.realm(id, { password_max_age_seconds: 60, auth_params: { username_password_params: { allow_expired_passwords } } });
    await they.user(id, 'u', 'u password');
  }
  await server.runtime.advance(61_000);
  assert.equal((await they.signIn('strict', 'u', 'u password')).body.next_step, 'ChangePassword');
  assert.equal((await they.signIn('strict', 'u', 'u password', { new_password: 'next password' })).body.next_step, 'Authenticated');
  assert.equal((await they.signIn('lax', 'u', 'u password')).body.next_step, 'Authenticated');
  assert.equal((await server.ask('GET', '/audit?realm=lax&event=password.expired', { cookie: they.root })).body.events.length, 1);
  await server.end();
});

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
