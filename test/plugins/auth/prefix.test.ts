// Lists in the order of names are searched by the beginning of a name: realms, administrators and the people of a realm, page by page.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { people } from '../../people.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { testDatabases } from '../../stores.ts';

const PHC = '$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
/** In the order of their code points. */
const NAMES = ['Mara', 'ma', 'mar', 'mara', 'mar\u{10ffff}x', 'mas', 'mår', 'm\ud7ff', 'm\u{1f600}', 'nora', '\u{10ffff}', '\u{10ffff}a'];
const databases = await testDatabases();

for (const database of databases) {
  let server: TestServer;
  let root: string;
  let admin: string;
  const on = (text: string, work: () => Promise<void>) => test(`${database.dialect}: ${text}`, work);
  const ids = (body: readonly Record<string, string>[]) => body.map((each) => each['username'] ?? each['id']);

  /** All names of a list, a page at a time. */
  async function found(path: string, query: string, cookie = root, limit = 2): Promise<unknown[]> {
    const all: unknown[] = [];
    for (let next: string | undefined = `?limit=${limit}&${query}`; next; ) {
      const { status, body, headers, text } = await server.ask('GET', path + next, { cookie });
      assert.equal(status, 200, text);
      all.push(...ids(body));
      next = /^<(\?[^>]+)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1];
    }
    return all;
  }

  on('the people of these tests', async () => {
    server = await startServer(database.dialect === 'sqlite' ? {} : { config: `[store]\nurl = "${await database.url()}"` });
    root = await signInAdmin(server);
    const they = people(server, root);
    for (const realm of ['team', 'team-2', 'other']) await they.realm(realm);
    for (const username of NAMES) {
      const made = await server.ask('POST', '/realms/team/userpass', { cookie: root, body: { username, password_input: { hashed: PHC } } });
      assert.equal(made.status, 201, made.text);
    }
    await they.user('other', 'mar', 'mar password');
    admin = await they.realmAdmin('team-2', 'zoe');
  });

  on('the people whose names begin with a text, each once, as all pages together', async () => {
    const all = '/realms/team/userpass';
    assert.deepEqual(await found(all, ''), NAMES);
    assert.deepEqual(await found(all, 'prefix='), NAMES);
    assert.deepEqual(await found(all, 'prefix=mar'), ['mar', 'mara', 'mar\u{10ffff}x']);
    assert.deepEqual(await found(all, 'prefix=mar', root, 1), ['mar', 'mara', 'mar\u{10ffff}x']);
    assert.deepEqual(await found(all, 'prefix=M'), ['Mara']);
    // In the composed form, as names are stored.
    assert.deepEqual(await found(all, `prefix=${encodeURIComponent('ma\u030ar')}`), ['mår']);
    assert.deepEqual(await found(all, `prefix=${encodeURIComponent('m\u{1f600}')}`), ['m\u{1f600}']);
    assert.deepEqual(await found(all, `prefix=${encodeURIComponent('m\ud7ff')}`), ['m\ud7ff']);
    assert.deepEqual(await found(all, `prefix=${encodeURIComponent('\u{10ffff}')}`), ['\u{10ffff}', '\u{10ffff}a']);
    for (const nobody of ['x', 'mar%25', 'mar_', '%5C', '%27', 'mara%20']) assert.deepEqual(await found(all, `prefix=${nobody}`), [], nobody);
    const whole = await server.ask('GET', `${all}?prefix=ma`, { cookie: root });
    assert.deepEqual(ids(whole.body), ['ma', 'mar', 'mara', 'mar\u{10ffff}x', 'mas']);
  });

  on('realms and administrators too; a realm administrator finds the own realms only', async () => {
    assert.deepEqual(await found('/admins/realms', 'prefix=team', root, 1), ['team', 'team-2']);
    assert.deepEqual(await found('/admins/realms', 'prefix=t', admin, 1), ['team-2']);
    assert.deepEqual(await found('/admins/realms', 'prefix=o', admin, 1), []);
    assert.deepEqual(await found('/admins', 'prefix=team-2-'), ['team-2-zoe']);
  });

  on('what no name begins with is refused by its name', async () => {
    for (const prefix of ['%00', 'a%0a', 'x'.repeat(1_025), `a${'%CC%81'.repeat(31)}`]) {
      const { status, body } = await server.ask('GET', `/realms/team/userpass?prefix=${prefix}`, { cookie: root });
      assert.equal(status, 400);
      assert.match(JSON.stringify(body), /query\/prefix/);
    }
    await server.end();
  });
}

test('the databases are stopped', async () => {
  for (const database of databases) await database.stop();
});

test.run();
