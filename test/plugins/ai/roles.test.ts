// Who may read and change a documentary base, what is kept over a restart, and the runner without authentication.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { people } from '../../people.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { docx, form } from './files.ts';

const CONFIG = `
[[ai.documentary_bases]]
name = "open"

[[ai.documentary_bases]]
name = "staff"
readers = ["staff", "editor"]
writers = ["editor"]
`;

test('a base is for the roles that it names: others do not learn that it is there', async () => {
  const server = await startServer({ config: CONFIG });
  try {
    const admin = await signInAdmin(server);
    const { realm, user, session } = people(server, admin);
    await realm('r');
    const signIn = async (username: string, roles: readonly string[]) => {
      await user('r', username, 'a password of theirs', { roles });
      return session('r', username, 'a password of theirs');
    };
    const [editor, staff, guest] = [await signIn('eve', ['editor']), await signIn('sam', ['staff']), await signIn('gus', ['guest'])];
    const bytes = await docx(['The safe opens at noon.']);
    const add = async (cookie: string) =>
      server.ask('POST', '/add_reference', { cookie, ...(await form({ db: 'staff', reference: 'safe' }, { name: 'a.docx', bytes })) });
    const ask = async (cookie: string) => server.ask('POST', '/rag_predict', { cookie, ...(await form({ db: 'staff', query: 'When does the safe open?' })) });
    const remove = async (cookie: string) => server.ask('DELETE', '/delete_reference', { cookie, ...(await form({ db: 'staff', reference: 'safe' })) });
    assert.deepEqual([(await add(guest)).status, (await add(staff)).status, (await add(editor)).status], [404, 403, 200]);
    assert.deepEqual([(await ask(guest)).status, (await ask(staff)).body, (await ask(editor)).status], [404, { result: ['The safe opens at noon.'] }, 200]);
    const list = async (cookie: string) => Object.keys((await server.ask('GET', '/documentary_bases', { cookie })).body.documentary_bases);
    assert.deepEqual([await list(guest), await list(staff)], [['open'], ['open', 'staff']]);
    const unknown = await server.ask('POST', '/rag_predict', { cookie: guest, ...(await form({ db: 'nothing', query: 'a' })) });
    assert.equal(unknown.body.message, (await ask(guest)).body.message);
    // Whatever else a request says, a base that is hidden and one that is not there have one answer.
    const outcome = async (method: 'POST' | 'DELETE', path: string, fields: Record<string, string>) => {
      const { status, body } = await server.ask(method, path, { cookie: guest, ...(await form(fields)) });
      return [status, body.message];
    };
    for (const [method, path, fields] of [
      ['DELETE', '/delete_reference', { reference: 'safe' }],
      ['POST', '/rag_predict', { query: 'a', limit: '99' }],
      ['POST', '/rag_predict', { query: 'a', ranking: 'none' }],
      ['POST', '/rag_predict', { query: 'a', ranking: 'vectors' }],
      ['POST', '/rag_predict', { query: 'a', sources: 'yes' }],
      ['POST', '/rag_predict', { query: '' }],
    ] as const)
      assert.deepEqual(await outcome(method, path, { db: 'staff', ...fields }), await outcome(method, path, { db: 'nothing', ...fields }));
    assert.deepEqual([(await remove(guest)).status, (await remove(staff)).status, (await remove(editor)).status], [404, 403, 200]);
  } finally {
    await server.end();
  }
});

test('nor do they learn it by a question that is too long for a model', async () => {
  const model = '[[ai.models]]\nid = "replies"\ntask = "answer"\nengine = "http"\nurl = "http://127.0.0.1:9/v1"\nmodel = "none"\n';
  const server = await startServer({ config: `${CONFIG}${model}` });
  try {
    const they = people(server, await signInAdmin(server));
    await they.realm('r');
    await they.user('r', 'gus', 'a password of theirs');
    const cookie = await they.session('r', 'gus', 'a password of theirs');
    const outcome = async (db: string) => {
      const { status, body } = await server.ask('POST', '/rag_predict', { cookie, ...(await form({ db, query: 'long '.repeat(10_000) })) });
      return [status, body.message];
    };
    assert.deepEqual(await outcome('staff'), [400, 'query: the question is too long for the model']);
    assert.deepEqual(await outcome('nothing'), await outcome('staff'));
  } finally {
    await server.end();
  }
});

test('a base for some realms is for no role that another realm gives, but for those of app tokens', async () => {
  const config = '[[ai.documentary_bases]]\nname = "staff"\nreaders = ["staff"]\nwriters = ["staff"]\nrealms = ["r"]\n';
  const server = await startServer({ config: `${config}[[ai.documentary_bases]]\nname = "all"\nrealms = ["r"]\n` });
  try {
    const they = people(server, await signInAdmin(server));
    for (const id of ['r', 'other']) await they.realm(id);
    const password_input = { plaintext: 'a password of theirs' };
    const signIn = async (realm: string) => {
      const cookie = await they.realmAdmin(realm, 'chief');
      const body = { username: 'sam', password_input, roles: ['staff'] };
      assert.equal((await server.ask('POST', `/realms/${realm}/userpass`, { cookie, body })).status, 201);
      return they.session(realm, 'sam', password_input.plaintext);
    };
    const [own, spy] = [await signIn('r'), await signIn('other')];
    const bytes = await docx(['The safe opens at noon.']);
    const outcomes = async (who: { readonly cookie?: string; readonly headers?: Record<string, string> }) => {
      const post = async (path: string, ...given: Parameters<typeof form>) => {
        const { headers, body } = await form(...given);
        return (await server.ask('POST', path, { ...who, headers: { ...headers, ...who.headers }, body })).status;
      };
      const added = await post('/add_reference', { db: 'staff', reference: 'safe' }, { name: 'a.docx', bytes });
      const asked = await post('/rag_predict', { db: 'staff', query: 'When does the safe open?' });
      return [added, asked, (await server.ask('GET', '/documentary_bases', who)).body.documentary_bases];
    };
    assert.deepEqual(await outcomes({ cookie: own }), [200, 200, { staff: ['safe'], all: [] }]);
    assert.deepEqual(await outcomes({ cookie: spy }), [404, 404, {}]);
    const root = { cookie: they.root };
    await server.ask('POST', '/auth/approle/role/robot', { ...root, body: { token_policies: ['staff'], bind_secret_id: false } });
    const { role_id } = (await server.ask('GET', '/auth/approle/role/robot/role-id', root)).body.data;
    const token = (await server.ask('POST', '/auth/approle/login', { body: { role_id } })).body.auth.client_token;
    assert.deepEqual(await outcomes({ headers: { 'x-app-token': token } }), [200, 200, { staff: ['safe'], all: [] }]);
  } finally {
    await server.end();
  }
});

test('a realm that no name can be stops the start', async () => {
  const config = '[[ai.documentary_bases]]\nname = "staff"\nrealms = ["r", "a/b"]\n';
  const refused = await startServer({ config }).then(
    async (server) => server.end().then(() => 'it started'),
    (error: Error) => error.message,
  );
  assert.match(refused, /ai\.documentary_bases\[0\]\.realms\[1\]: not a valid realm name/);
});

test('references outlive a restart; bases are created on request if the configuration says so', async () => {
  const folder = temporaryFolder();
  const start = () => startServer({ config: '[ai]\nauto_create_bases = true\nopen = true\n', dataDir: join(folder, 'data') });
  try {
    const first = await start();
    const bytes = await docx(['# Hours', 'The museum opens at ten.']);
    const { status } = await first.ask('POST', '/add_reference', await form({ db: 'new', reference: 'hours' }, { name: 'a.docx', bytes }));
    assert.equal(status, 200);
    await first.end();
    const second = await start();
    assert.deepEqual((await second.ask('GET', '/documentary_bases')).body, { documentary_bases: { documents: [], new: ['hours'] } });
    const { body } = await second.ask('POST', '/rag_predict', await form({ db: 'new', query: 'When does the museum open?' }));
    assert.deepEqual(body, { result: ['The museum opens at ten.'] });
    await second.end();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a base that has left the configuration is for nobody, whoever tries it, until it is there again', async () => {
  const folder = temporaryFolder();
  const start = (config: string) => startServer({ config: `[ai]\nauto_create_bases = true\nopen = true\n${config}`, dataDir: join(folder, 'data') });
  const file = { name: 'a.docx', bytes: await docx(['The safe opens at noon.']) };
  const own = '[[ai.documentary_bases]]\nname = "staff"\n';
  const outcomes = async (server: TestServer) => {
    const ask = await server.ask('POST', '/rag_predict', await form({ db: 'staff', query: 'When does the safe open?' }));
    const add = await server.ask('POST', '/add_reference', await form({ db: 'staff', reference: 'other' }, file));
    const remove = await server.ask('DELETE', '/delete_reference', await form({ db: 'staff', reference: 'other' }));
    return [ask.status, add.status, remove.status, (await server.ask('GET', '/documentary_bases')).body.documentary_bases];
  };
  try {
    const before = await start(own);
    for (const db of ['staff', 'new']) await before.ask('POST', '/add_reference', await form({ db, reference: 'safe' }, file));
    assert.deepEqual(await outcomes(before), [200, 200, 200, { staff: ['safe'], new: ['safe'] }]);
    await before.end();
    const without = await start('[[ai.documentary_bases]]\nname = "other"\n');
    assert.deepEqual(await outcomes(without), [404, 404, 404, { other: [], new: ['safe'] }]);
    assert.equal((await without.ask('DELETE', '/delete_reference', await form({ db: 'staff', reference: 'safe' }))).status, 404);
    await without.end();
    // One that was created on request belongs to the configuration from the start that finds it there.
    const again = await start(`${own}[[ai.documentary_bases]]\nname = "new"\n`);
    assert.deepEqual(await outcomes(again), [200, 200, 200, { staff: ['safe'], new: ['safe'] }]);
    await again.end();
    const neither = await start('');
    assert.deepEqual((await neither.ask('GET', '/documentary_bases')).body.documentary_bases, { documents: [] });
    await neither.end();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a base may be called as what every object has; the configuration may write names in either form', async () => {
  const server = await startServer({ config: '[ai]\nauto_create_bases = true\n[[ai.documentary_bases]]\nname = "e\u0301t\u00e9"\nreaders = ["staff"]\n' });
  try {
    const cookie = await signInAdmin(server);
    const bytes = await docx(['The museum opens at ten.']);
    for (const db of ['__proto__', 'constructor', 'toString']) {
      const added = await server.ask('POST', '/add_reference', { cookie, ...(await form({ db, reference: '__proto__' }, { name: 'a.docx', bytes })) });
      assert.equal(added.status, 200, added.text);
      const asked = await server.ask('POST', '/rag_predict', { cookie, ...(await form({ db, query: 'When does the museum open?' })) });
      assert.deepEqual(asked.body, { result: ['The museum opens at ten.'] });
    }
    const { text } = await server.ask('GET', '/documentary_bases', { cookie });
    assert.equal(text, '{"documentary_bases":{"__proto__":["__proto__"],"constructor":["__proto__"],"toString":["__proto__"]}}');
    for (const db of ['e\u0301t\u00e9', '\u00e9t\u00e9']) {
      const hidden = await server.ask('POST', '/add_reference', { cookie, ...(await form({ db, reference: 'a' }, { name: 'a.docx', bytes })) });
      assert.equal(hidden.status, 200, hidden.text);
      assert.equal((await server.ask('POST', '/rag_predict', { cookie, ...(await form({ db, query: 'museum' })) })).status, 404);
    }
  } finally {
    await server.end();
  }
});

test('without the runner its paths are not there', async () => {
  const server = await startServer({ config: '[ai]\nenabled = false\n' });
  try {
    const cookie = await signInAdmin(server);
    assert.equal((await server.ask('GET', '/documentary_bases', { cookie })).status, 404);
  } finally {
    await server.end();
  }
});

test.run();
