// The proof of a second factor asked for by its own routes is guarded as at sign-in: wrong codes count, lock, and are audited; what ends the factor opens its lock.
import assert from 'node:assert/strict';
import { TOTP } from 'otpauth';
import { test } from 'uvu';
import type { AuditRow } from '../../kernel/store/audit.ts';
import { type People, people } from '../people.ts';
import { type Answer, signInAdmin, startServer, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

// A password hash takes long enough for other requests to arrive during a sign-in.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'middle';

const databases = await testDatabases();
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const ELSEWHERE = '203.0.113.7';
/** Of the limit of failures for one source. */
const FAILURES = 5;

for (const database of databases) {
  let server: TestServer;
  let they: People;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const from = (source?: string) => (source === undefined ? {} : { headers: { 'x-forwarded-for': source } });
  const remove = (cookie: string, user: string, totp_code?: string, source?: string) =>
    server.ask('DELETE', `/realms/r/totp/${user}`, { cookie, body: totp_code === undefined ? {} : { totp_code }, ...from(source) });
  const replace = (cookie: string, user: string, totp_code: string | undefined, token = they.code(new TOTP({ secret: SECRET, digits: 6, period: 30 }))) =>
    server.ask('POST', '/realms/r/totp/verify', { cookie, body: { username: user, issuer: 'x', secret: SECRET, token, ...(totp_code ? { totp_code } : {}) } });
  const events = async (query: string) => (await server.ask('GET', `/audit?realm=r&limit=1000&${query}`, { cookie: they.root })).body.events as AuditRow[];
  const words = ({ status, body }: Answer) => [status, body?.code, body?.message, body?.errors];
  const enrolled = async (user: string) => {
    await they.user('r', user, `${user} password`);
    const cookie = await they.session('r', user, `${user} password`);
    return { cookie, totp: await they.enrol('r', user, cookie) };
  };
  const guess = (totp: TOTP, n = 0) => they.code(totp, 20 + n);
  const login = (user: string, totp: TOTP, steps = 0) => they.signIn('r', user, `${user} password`, { totp_code: they.code(totp, steps) });

  test(name('the people of these tests'), async () => {
    const proxies = '[http]\ntrusted_proxies = ["127.0.0.1"]\n';
    server = await startServer({ config: database.dialect === 'sqlite' ? proxies : `${proxies}[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    await they.realm('r');
  });

  test(name('a stolen session that guesses the code of a removal is locked out after five, in the same words, and audited'), async () => {
    const { cookie, totp } = await enrolled('ann');
    const wrong = await remove(cookie, 'ann', guess(totp));
    for (let tried = 1; tried < FAILURES; tried++) assert.equal((await remove(cookie, 'ann', guess(totp, tried))).status, 403);
    const right = await remove(cookie, 'ann', they.code(totp));
    assert.deepEqual(words(right), words(wrong));
    assert.equal(right.status, 403);
    assert.equal((await events('event=totp.disable')).filter(({ outcome }) => outcome === 'refused').length, FAILURES + 1);
    const [lock, ...more] = await events('event=lockout');
    assert.deepEqual([lock?.actor, lock?.target, more.length], ['ann', 'totp 127.0.0.1', 0]);
    // The factor is the one of sign-in: it is locked there too, for this source.
    assert.equal((await login('ann', totp)).status, 401);
    await server.runtime.advance(15 * 60_000 + 1_000);
    they = people(server, (await server.ask('POST', '/login?realm=_', { user: 'admin:a new password' })).cookie as string);
    assert.equal((await remove(cookie, 'ann', they.code(totp))).status, 200);
  });

  test(name('many guesses at once with the right one among them remove nothing'), async () => {
    const { cookie, totp } = await enrolled('ben');
    for (let tried = 0; tried < FAILURES; tried++) assert.equal((await remove(cookie, 'ben', guess(totp, tried))).status, 403);
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => remove(cookie, 'ben', n % 2 ? they.code(totp, (n % 3) - 1) : guess(totp, n))));
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([403]));
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 200);
    assert.equal((await they.signIn('r', 'ben', 'ben password')).body.next_step, 'TotpRequired');
  });

  test(name('the proof asked for by a new enrolment counts and locks in the same way, and failures at sign-in count with them'), async () => {
    const { cookie, totp } = await enrolled('cat');
    for (let tried = 0; tried < 3; tried++) assert.equal((await they.signIn('r', 'cat', 'cat password', { totp_code: guess(totp, tried) })).status, 401);
    for (let tried = 0; tried < 2; tried++) assert.equal((await replace(cookie, 'cat', guess(totp, tried))).status, 403);
    assert.equal((await replace(cookie, 'cat', they.code(totp))).status, 403);
    assert.equal((await remove(cookie, 'cat', they.code(totp))).status, 403);
    assert.equal((await events('event=totp.enable&actor=r/cat')).filter(({ outcome }) => outcome === 'refused').length, 3);
  });

  test(name('a code that is missing is no guess, and one that is refused for another reason is not used up'), async () => {
    const { cookie, totp } = await enrolled('dan');
    for (let tried = 0; tried < 2 * FAILURES; tried++) assert.equal((await remove(cookie, 'dan')).status, 403);
    assert.equal((await replace(cookie, 'dan', they.code(totp), '000000')).status, 400);
    assert.equal((await remove(cookie, 'dan', they.code(totp))).status, 200);
  });

  test(name('removal, a new enrolment and an admin open the lock of that factor, and of no other'), async () => {
    const { cookie, totp } = await enrolled('eva');
    const lock = async (of: TOTP) => {
      for (let tried = 0; tried < FAILURES; tried++) assert.equal((await remove(cookie, 'eva', guess(of, tried))).status, 403);
      assert.equal((await remove(cookie, 'eva', they.code(of))).status, 403);
    };
    await lock(totp);
    // From a place that is not locked the owner enrols anew: the old factor's lock is not the new one's.
    const body = {
      username: 'eva',
      issuer: 'x',
      secret: SECRET,
      token: they.code(new TOTP({ secret: SECRET, digits: 6, period: 30 })),
      totp_code: they.code(totp),
    };
    assert.equal((await server.ask('POST', '/realms/r/totp/verify', { cookie, body, ...from(ELSEWHERE) })).status, 200);
    const second = new TOTP({ secret: SECRET, digits: 6, period: 30 });
    assert.equal((await login('eva', second)).body?.next_step, 'Authenticated');
    await lock(second);
    assert.equal((await remove(they.root, 'eva')).status, 200);
    // From the place that was locked, with a code that nobody asks for any more.
    assert.equal((await they.signIn('r', 'eva', 'eva password', { totp_code: '000000' })).body?.next_step, 'Authenticated');
  });

  test(name("an admin's new password opens the lock of passwords and leaves that of codes"), async () => {
    const { totp } = await enrolled('fay');
    const put = (body: object) => server.ask('PUT', '/realms/r/userpass/fay', { cookie: they.root, body });
    const sign = (password: string, code?: string) => they.signIn('r', 'fay', password, code ? { totp_code: code } : undefined);
    for (let tried = 0; tried < FAILURES; tried++) assert.equal((await sign('fay password', guess(totp, tried))).status, 401);
    for (let tried = 0; tried < FAILURES; tried++) assert.equal((await sign('guess')).status, 401);
    assert.equal((await put({ roles: ['x'] })).status, 200);
    assert.equal((await sign('fay password')).status, 401);
    assert.equal((await put({ password_input: { plaintext: 'by the admin' } })).status, 200);
    assert.equal((await sign('by the admin')).body?.next_step, 'TotpRequired');
    assert.equal((await sign('by the admin', they.code(totp))).status, 401);
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
