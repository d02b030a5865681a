// What happens while the password of a login is hashed is decided on when the login ends.
import assert from 'node:assert/strict';
import { TOTP } from 'otpauth';
import { test } from 'uvu';
import { type People, people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

// Passwords are hashed at the server's cost: other requests begin and end during a sign-in.
process.env['GATEHOUSE_TEST_PASSWORD_COST'] = 'full';

const databases = await testDatabases();
const MINUTE_MS = 60_000;
const MOST_TURNS = 5;

for (const database of databases) {
  let server: TestServer;
  let they: People;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const sign = (user: string, password: string, body?: Record<string, unknown>) => they.signIn('r', user, password, body);
  const enrolled = async (user: string) => {
    await they.user('r', user, `${user} password`);
    return they.enrol('r', user, await they.session('r', user, `${user} password`));
  };

  /** @returns false if the enrolment was over after the change only, as on a busy machine: then it was in time for nothing */
  const isAskedFor = async (user: string): Promise<boolean> => {
    await they.user('r', user, 'dan password');
    const cookie = await they.session('r', user, 'dan password');
    let isOver = false;
    // The change of password hashes twice; the enrolment in between is usually done long before it ends.
    const changing = sign(user, 'dan password', { new_password: 'without the factor' }).finally(() => {
      isOver = true;
    });
    const second = new TOTP({ secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', digits: 6, period: 30 });
    const body = { username: user, issuer: 'x', secret: second.secret.base32, token: they.code(second) };
    assert.equal((await server.ask('POST', '/realms/r/totp/verify', { cookie, body })).status, 200);
    const isInTime = !isOver;
    const { status } = await changing;
    if (!isInTime) return false;
    assert.equal(status, 401);
    assert.equal((await sign(user, 'dan password')).body.next_step, 'TotpRequired');
    return true;
  };

  test(name('the people of these tests'), async () => {
    server = await startServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    await they.realm('r');
  });

  test(name('of a change under way and plain logins with its code one is answered, and the password is new only if it was the change'), async () => {
    const totp = await enrolled('ben');
    let password = 'ben password';
    for (let round = 0; round < 3; round++) {
      await server.runtime.advance(2 * MINUTE_MS);
      const totp_code = they.code(totp);
      const changing = sign('ben', password, { totp_code, new_password: `choice ${round} of ben` });
      // Some of them end while the new password of the first is hashed.
      const plain = Array.from({ length: 4 }, async (_, n) => {
        await new Promise((resolve) => setTimeout(resolve, 40 * n));
        return sign('ben', password, { totp_code });
      });
      const [changed, ...others] = await Promise.all([changing, ...plain]);
      assert.equal([changed, ...others].filter(({ status }) => status === 200).length, 1);
      await server.ask('POST', '/realms/r/userpass/ben/unlock', { cookie: they.root });
      if (changed.status === 200) password = `choice ${round} of ben`;
      assert.equal((await sign('ben', password)).body.next_step, 'TotpRequired', `round ${round}: the change was answered with ${changed.status}`);
    }
  });

  test(name('a factor that is enrolled or replaced while the password is hashed is asked for'), async () => {
    let turn = 0;
    while (turn < MOST_TURNS && !(await isAskedFor(`dan${turn}`))) turn += 1;
    assert.ok(turn < MOST_TURNS, 'each enrolment took longer than the hashes of a change');
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
