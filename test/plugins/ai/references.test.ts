// Documentary bases over HTTPS: epub, pdf and docx files are added, listed, asked about, replaced and deleted.
// covers: POST /add_reference
// covers: DELETE /delete_reference
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { docx, epub, form, pdf } from './files.ts';
import { HARBOUR, QUESTIONS } from './harbour.ts';

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer();
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, { cookie, ...(await form(...given)) });
const bases = async () => (await server.ask('GET', '/documentary_bases', { cookie })).body.documentary_bases as Record<string, string[]>;
const add = (reference: string, name: string, bytes: Uint8Array, db = 'documents') => post('/add_reference', { db, reference }, { name, bytes });
const remove = async (reference: string, db = 'documents') => server.ask('DELETE', '/delete_reference', { cookie, ...(await form({ db, reference })) });

const FILES: readonly (readonly [kind: string, make: () => Promise<Buffer>])[] = [
  ['epub', () => epub(HARBOUR)],
  ['docx', () => docx(HARBOUR)],
  ['pdf', async () => pdf([HARBOUR.slice(0, 3), HARBOUR.slice(3)])],
];

test('GET /documentary_bases: a new server has one empty base', async () => {
  assert.deepEqual(await bases(), { documents: [] });
});

for (const [kind, make] of FILES)
  test(`POST /rag_predict: a ${kind} is added, listed, asked about and deleted`, async () => {
    const added = await add('harbour', `harbour.${kind}`, await make());
    assert.deepEqual([added.status, added.text, added.headers['content-type']], [200, 'File successfully processed', 'text/plain; charset=utf-8']);
    assert.deepEqual(await bases(), { documents: ['harbour'] });
    for (const [query, answer] of QUESTIONS) {
      const { status, body, headers } = await post('/rag_predict', { db: 'documents', query });
      assert.deepEqual([status, Object.keys(body), headers['x-ai-engine']], [200, ['result'], 'extractive']);
      assert.match(body.result[0], answer, query);
    }
    const removed = await remove('harbour');
    assert.deepEqual([removed.status, removed.text], [200, 'Reference successfully removed']);
    assert.deepEqual(await bases(), { documents: [] });
    assert.deepEqual((await post('/rag_predict', { db: 'documents', query: 'Who is the watchman?' })).body, { result: [] });
  });

test('sources tell where an answer is from: the chapter of an epub, the page of a pdf', async () => {
  await add('book', 'a.epub', await epub(HARBOUR));
  await add('paper', 'a.pdf', pdf([['Nothing here.'], ['The lighthouse keeper sleeps at noon.']]));
  const ask = async (query: string) => (await post('/rag_predict', { db: 'documents', query, sources: 'true', limit: '1' })).body.sources;
  const [storm] = await ask('Which boats were lost in the storm?');
  assert.deepEqual([storm.reference, storm.chapter, typeof storm.score], ['book', 'The Storm', 'number']);
  const [keeper] = await ask('When does the lighthouse keeper sleep?');
  assert.deepEqual([keeper.reference, keeper.page, keeper.text], ['paper', 2, 'The lighthouse keeper sleeps at noon.']);
  await remove('book');
  await remove('paper');
});

test('a reference of the same name is replaced, and one that cannot be read replaces nothing', async () => {
  await add('rules', 'a.docx', await docx(['The gate closes at nine.']));
  await add('rules', 'b.docx', await docx(['The gate closes at eleven.']));
  const answer = async () => (await post('/rag_predict', { db: 'documents', query: 'When does the gate close?' })).body.result;
  assert.deepEqual([await bases(), await answer()], [{ documents: ['rules'] }, ['The gate closes at eleven.']]);
  assert.equal((await add('rules', 'c.docx', Buffer.from('no document'))).status, 400);
  assert.deepEqual(await answer(), ['The gate closes at eleven.']);
  await remove('rules');
});

test('an unknown base or reference is 404, a wrong name, a missing or an unknown field 400 that names it', async () => {
  const file = { name: 'a.docx', bytes: await docx(['A text.']) };
  const cases: [Promise<{ status: number; text: string }>, number, RegExp][] = [
    [post('/rag_predict', { db: 'others', query: 'What?' }), 404, /no documentary base/],
    [post('/add_reference', { db: 'others', reference: 'a' }, file), 404, /no documentary base/],
    [remove('nothing'), 404, /no reference/],
    [remove('nothing', 'others'), 404, /no reference/],
    [post('/add_reference', { db: 'documents', reference: '../a' }, file), 400, /reference: must have/],
    [post('/add_reference', { db: 'documents', reference: 'x'.repeat(129) }, file), 400, /reference: must have/],
    [post('/add_reference', { db: 'documents', reference: 'a' }), 400, /missing form field: file/],
    [post('/add_reference', { db: 'documents' }, file), 400, /missing form field: reference/],
    [post('/rag_predict', { db: 'documents' }), 400, /missing form field: query/],
    [post('/rag_predict', { db: 'documents', query: 'a', limit: '51' }), 400, /limit: must be/],
    [post('/rag_predict', { db: 'documents', query: 'a', where: 'b' }), 400, /where: unknown form field/],
  ];
  for (const [asked, status, text] of cases) {
    const answer = await asked;
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, text);
  }
});

test('fields of a deletion may be urlencoded', async () => {
  await add('rules', 'a.docx', await docx(['A text.']));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal((await server.ask('DELETE', '/delete_reference', { cookie, headers, body: 'db=documents&reference=rules' })).status, 200);
  assert.deepEqual(await bases(), { documents: [] });
});

test('without a credential nothing is served', async () => {
  for (const path of ['/summarize', '/translate', '/context_predict', '/rag_predict', '/add_reference'])
    assert.equal((await server.ask('POST', path, await form({ db: 'documents' }))).status, 401, path);
  assert.equal((await server.ask('GET', '/documentary_bases')).status, 401);
  assert.equal((await server.ask('DELETE', '/delete_reference', await form({ db: 'documents', reference: 'a' }))).status, 401);
});

test('names are as long as their limit in code points, in any script', async () => {
  const file = await docx(['A text.']);
  assert.equal((await add('𝒜'.repeat(129), 'a.docx', file)).status, 400);
  assert.equal((await add('𝒜'.repeat(128), 'a.docx', file)).status, 200);
  assert.equal((await remove('𝒜'.repeat(128))).status, 200);
});

test('an epub of old is read in the encoding that it declares; one that nobody knows is refused', async () => {
  const chapter = (declaration: string, text: string) => ({
    name: 'OEBPS/text/c0.xhtml',
    content: Buffer.from(`<?xml version="1.0" ${declaration}?><html><body><p>${text}</p></body></html>`, 'latin1'),
  });
  const book = (declaration: string, text: string) => epub(['A text.'], { more: [chapter(declaration, text)] });
  assert.equal((await add('old', 'old.epub', await book("encoding='ISO-8859-1'", 'Le caf\xe9 est ferm\xe9.'))).status, 200);
  assert.deepEqual((await post('/rag_predict', { db: 'documents', query: 'café' })).body, { result: ['Le café est fermé.'] });
  assert.equal((await add('old', 'old.epub', await book('encoding="UTF-16"', 'An island.'))).status, 200);
  assert.deepEqual((await post('/rag_predict', { db: 'documents', query: 'island' })).body, { result: ['An island.'] });
  const { status, body } = await add('old', 'old.epub', await book('encoding="of-the-house"', 'A text.'));
  assert.deepEqual([status, body.message], [400, 'OEBPS/text/c0.xhtml is in the encoding of-the-house, which cannot be read']);
  await remove('old');
});

test.run();
