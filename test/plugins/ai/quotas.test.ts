// The quotas of documentary bases: what is beyond them is refused before the file is read, by the name of the quota, and what is there stays usable.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { docx, form } from './files.ts';
import { HARBOUR } from './harbour.ts';

const CONFIG = `[ai]
auto_create_bases = true
[ai.quotas]
bases = 1
references_per_base = 2
passages_per_base = 12
`;
let server: TestServer;
let cookie: string;
let small: Buffer;
let large: Buffer;
test.before(async () => {
  server = await startServer({ config: CONFIG });
  cookie = await signInAdmin(server);
  small = await docx(['A short text about boats.']);
  large = await docx(Array.from({ length: 40 }, () => HARBOUR).flat());
});
test.after(() => server?.end());

async function add(db: string, reference: string, bytes: Uint8Array) {
  const { status, body, text } = await server.ask('POST', '/add_reference', { cookie, ...(await form({ db, reference }, { name: 'a.docx', bytes })) });
  return status === 200 ? text : [status, body.code, String(body.errors)];
}
const OK = 'File successfully processed';
const beyond = (quota: string, most: number, scope: string) => [429, 'AI_QUOTA_EXCEEDED', `[ai.quotas] ${quota}: no more than ${most} for ${scope}`];

test('bases that are created on request', async () => {
  assert.equal(await add('notes', 'first', small), OK);
  assert.deepEqual(await add('more', 'first', small), beyond('bases', 1, 'all'));
  assert.equal(await add('documents', 'first', small), OK, 'those of the configuration are not counted');
});

test('references of a base: one can be replaced, and another takes the place of one that is deleted', async () => {
  assert.equal(await add('notes', 'second', small), OK);
  assert.deepEqual(await add('notes', 'third', Buffer.from('it is not read')), beyond('references_per_base', 2, 'notes'));
  assert.equal(await add('notes', 'second', small), OK);
  const { status } = await server.ask('DELETE', '/delete_reference', { cookie, ...(await form({ db: 'notes', reference: 'first' })) });
  assert.equal(status, 200);
  assert.equal(await add('notes', 'third', small), OK);
});

test('passages of a base: a document that has too many changes nothing', async () => {
  assert.deepEqual(await add('documents', 'second', large), beyond('passages_per_base', 12, 'documents'));
  assert.deepEqual(await add('documents', 'first', large), beyond('passages_per_base', 12, 'documents'));
  const asked = await server.ask('POST', '/rag_predict', { cookie, ...(await form({ db: 'documents', query: 'What is the text about?' })) });
  assert.match(asked.body.result[0], /boats/);
});

test.run();
