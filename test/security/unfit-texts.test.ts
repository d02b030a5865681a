// Texts that no database keeps as they are: with halves of surrogate pairs, two names would become one.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { type People, people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { testDatabases } from '../stores.ts';

const databases = await testDatabases();
const HALF = '\ud800';

for (const database of databases) {
  let server: TestServer;
  let they: People;
  const name = (text: string) => `${database.dialect}: ${text}`;
  const post = (path: string, body: unknown) => server.ask('POST', path, { cookie: they.root, body: body as Record<string, unknown> });

  test(name('the people of these tests'), async () => {
    server = await startServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    they = people(server, await signInAdmin(server));
    await they.realm('r');
    await they.user('r', 'ann', 'ann password');
  });

  test(name('half of a surrogate pair anywhere in a body is 400, as a value and as a name of a member'), async () => {
    const password_input = { plaintext: 'long enough' };
    for (const [path, body] of [
      ['/realms/r/userpass', { username: `u${HALF}`, password_input }],
      ['/realms/r/userpass', { username: 'u', password_input: { plaintext: `long enough${HALF}` } }],
      ['/realms/r/userpass', { username: 'u', password_input, roles: [`a${HALF}`] }],
      ['/realms/r/userpass', { username: 'u', password_input, extra_claims: { [HALF]: 1 } }],
      ['/admins', { id: 'a', realms: ['r'], jwt: `a${HALF}` }],
      ['/realms/r/totp/generate', { username: 'ann', issuer: HALF }],
      ['/auth/approle/role/a', { token_policies: [HALF] }],
    ] as const) {
      const answer = await post(path, body);
      assert.equal(answer.status, 400, `${path} ${answer.text}`);
      assert.match(answer.body.message, /half of a surrogate pair/);
    }
    // A whole pair, escaped or not, and the text of an escape are no halves.
    assert.equal((await post('/realms/r/userpass', { username: 'pair', password_input, roles: ['\ud83d\ude00', '\\ud800'] })).status, 201);
  });

  test(name('the server ends'), () => server.end());
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
