// A refused login changes nothing: lock, one-time code and new password are one decision, and what a right password was told is written down.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import type { AuditRow } from '../../kernel/store/audit.ts';
import { type People, people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

// A password hash takes long enough for other requests to arrive during a sign-in.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'middle';

const databases = await testDatabases();
const MINUTE_MS = 60_000;

for (const database of databases) {
  let server: TestServer;
  let they: People;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const sign = (user: string, password: string, body?: Record<string, unknown>) => they.signIn('r', user, password, body);
  const audited = async (event: string, actor: string) =>
    (await server.ask('GET', `/audit?realm=r&limit=1000&event=${event}&actor=${actor}`, { cookie: they.root })).body.events as AuditRow[];
  const rows = async (actor: string) => (await audited('login', actor)).map(({ outcome, reason }) => `${outcome} ${reason}`);
  const enrolled = async (user: string) => {
    await they.user('r', user, `${user} password`);
    return they.enrol('r', user, await they.session('r', user, `${user} password`));
  };

  test(name('the people of these tests'), async () => {
    server = await startServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    await they.realm('r');
  });

  test(name('of two logins with one code, each with a new password, the refused one sets none'), async () => {
    const totp = await enrolled('ann');
    let password = 'ann password';
    for (let round = 0; round < 2; round++) {
      await server.runtime.advance(2 * MINUTE_MS);
      const totp_code = they.code(totp);
      const choices = Array.from({ length: 3 }, (_, n) => `of login ${n} in round ${round}`);
      const both = await Promise.all(choices.map((new_password) => sign('ann', password, { totp_code, new_password })));
      const won = choices.filter((_, n) => both[n]?.status === 200);
      assert.equal(won.length, 1, JSON.stringify(both.map(({ status }) => status)));
      password = won[0] as string;
      for (const choice of choices) {
        const { status, body } = await sign('ann', choice);
        assert.deepEqual([status, body.next_step], choice === password ? [200, 'TotpRequired'] : [401, undefined], choice);
      }
      await server.ask('POST', '/realms/r/userpass/ann/unlock', { cookie: they.root });
    }
    assert.equal((await audited('password.change', 'ann')).length, 2);
  });

  test(name('a refused change of password ends no session, and neither marks nor unlocks anything'), async () => {
    const totp = await enrolled('cat');
    await server.runtime.advance(2 * MINUTE_MS);
    const totp_code = they.code(totp);
    const held = (await sign('cat', 'cat password', { totp_code })).cookie as string;
    assert.equal((await sign('cat', 'cat password', { totp_code, new_password: 'after a used code' })).status, 401);
    assert.equal((await server.ask('GET', '/whoami', { cookie: held })).status, 200);
    assert.equal((await sign('cat', 'cat password')).body.next_step, 'TotpRequired');
    assert.equal((await audited('password.change', 'cat')).length, 0);
  });

  test(name('a right password with an unfit new one is audited, also among many wrong ones'), async () => {
    await they.user('r', 'eva', 'eva password');
    for (const new_password of ['short', 'eva password']) assert.equal((await sign('eva', 'eva password', { new_password })).status, 400);
    assert.deepEqual(await rows('eva'), ['failure the new password cannot be used', 'failure the new password cannot be used']);
    const tries = Array.from({ length: 20 }, (_, n) => sign('eva', n === 15 ? 'eva password' : `guess ${n}`, { new_password: 'short' }));
    assert.deepEqual(new Set((await Promise.all(tries)).map(({ status }) => status)), new Set([401]));
  });

  test(name('the right password among many wrong ones is told of no next step'), async () => {
    await enrolled('fay');
    await they.user('r', 'gus', 'gus password', { change_password: true });
    for (const user of ['fay', 'gus']) {
      const tries = Array.from({ length: 20 }, (_, n) => sign(user, n === 15 ? `${user} password` : `guess ${n}`));
      assert.deepEqual(new Set((await Promise.all(tries)).map(({ status }) => status)), new Set([401]), user);
    }
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
