// Documentary bases with an embedder: passages are found by meaning, and their vectors are made in the background, kept, and never of two embedders.
// covers: GET /models
import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { createClock } from '../../../kernel/clock.ts';
import { openStore } from '../../../kernel/store/open.ts';
import { postgresDatabase } from '../../database.ts';
import { writeModel } from '../../models/build.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { docx, form } from './files.ts';
import { HARBOUR } from './harbour.ts';
import { modelProcesses, modelsOf } from './models.ts';

const CONFIG = '[[ai.models]]\nid = "embedder"\ntask = "embedding"\n';
/** None of its words is in the document, but the watchman of the harbour is. */
const QUESTION = 'Which warden of the port?';
const folder = temporaryFolder();
const dataDir = join(folder, 'data');
const modelFolder = join(dataDir, 'models');

let server: TestServer;
let cookie: string;
const start = async () => {
  server = await startServer({ config: CONFIG, dataDir });
  cookie ??= await signInAdmin(server);
};
test.before(start);
test.after(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, { cookie, ...(await form(...given)) });
const ask = (query: string, ranking: string) => post('/rag_predict', { db: 'documents', query, sources: 'true', ranking });
const found = async (query: string, ranking: string) => ((await ask(query, ranking)).body.sources as { chapter?: string }[]).map(({ chapter }) => chapter);
const models = async () => (await server.ask('GET', '/models', { cookie })).body;
const add = async (reference: string, paragraphs: readonly string[]) =>
  assert.equal((await post('/add_reference', { db: 'documents', reference }, { name: 'a.docx', bytes: await docx(paragraphs) })).status, 200);
const embedded = () => until(async () => (await models()).embedding.waiting === 0);

/** @returns the embedders of all vectors, and the number of passages that have some */
async function stored(): Promise<{ readonly embedders: readonly string[]; readonly passages: number }> {
  const store = await openStore((await postgresDatabase(dataDir)) ?? `sqlite:${join(dataDir, 'gatehouse.db')}`, { writer: 'test', clock: createClock() });
  const rows = await store.all<{ embedder: string; windows: Uint8Array }>('SELECT embedder, windows FROM ai_vectors');
  await store.close();
  return { embedders: [...new Set(rows.map(({ embedder }) => embedder))], passages: rows.reduce((sum, { windows }) => sum + windows.byteLength / 2, 0) };
}

async function until(isThere: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) {
    if (await isThere()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('it never came');
}

test('GET /models: an embedder that is not installed says what it lacks, and is not passed over in silence', async () => {
  await add('harbour', HARBOUR);
  const { models: all, embedding } = await models();
  assert.deepEqual([all[0].id, all[0].state, embedding.references, embedding.waiting], ['embedder', 'absent', 1, 1]);
  assert.match(all[0].missing[0], /lacks config\.json, tokenizer\.json, onnx\/model\.onnx/);
  const refused = await ask('Who is the watchman?', 'fused');
  assert.deepEqual([refused.status, refused.body.code], [503, 'MODEL_NOT_INSTALLED']);
  assert.deepEqual(await found('Who is the watchman?', 'words'), ['The Watchman']);
  assert.equal((await post('/rag_predict', { db: 'documents', query: 'a', ranking: 'none' })).status, 400);
});

test('once it is installed, what is there gets vectors, and is found by what it means', async () => {
  writeModel('embedder', modelFolder);
  await server.runtime.advance(11_000);
  await embedded();
  assert.deepEqual(await found(QUESTION, 'words'), []);
  assert.equal((await found(QUESTION, 'vectors'))[0], 'The Watchman');
  const { sources, result } = (await ask(QUESTION, 'fused')).body;
  assert.equal(sources[0].chapter, 'The Watchman');
  // The sentence that means what the question asks: none has a word of it.
  assert.deepEqual(result, ['The watchman of the harbour is called Elias Brandt.']);
  const { models: all } = await models();
  assert.deepEqual([all[0].state, all[0].revision, all[0].missing], ['ready', 'test', []]);
});

test('a question without a word finds nothing, however long it is', async () => {
  for (const query of ['', ' \n', ' '.repeat(100_000)]) {
    const { status, body } = await ask(query, 'vectors');
    assert.deepEqual([status, body], [200, { result: [], sources: [] }]);
  }
  // It has no token, and so a vector of nothing.
  assert.equal((await ask('\u0000'.repeat(100_000), 'fused')).status, 200);
});

test('vectors go with their reference, when it is replaced and when it is deleted', async () => {
  await add('harbour', ['# The Ship', 'Three boats were lost.']);
  await embedded();
  assert.deepEqual([await found('Which vessels?', 'fused'), await stored()], [['The Ship'], { embedders: ['embedder@test'], passages: 1 }]);
  const { status } = await server.ask('DELETE', '/delete_reference', { cookie, ...(await form({ db: 'documents', reference: 'harbour' })) });
  assert.deepEqual([status, await stored(), (await ask('Which vessels?', 'fused')).body], [200, { embedders: [], passages: 0 }, { result: [], sources: [] }]);
});

test('what a stop or a killed process interrupts goes on; another embedder makes all vectors anew', async () => {
  const chapters = Array.from({ length: 200 }, (_, index) => [
    `# Chapter ${index}`,
    index === 199 ? 'The lamp burns colza oil.' : 'The town pays for a book about a house.',
  ]);
  await add('long', chapters.flat());
  await until(async () => modelProcesses().length > 0);
  for (const { pid } of modelProcesses()) process.kill(pid, 'SIGKILL');
  await server.end();
  await start();
  await embedded();
  assert.deepEqual(await stored(), { embedders: ['embedder@test'], passages: 200 });
  assert.equal((await found('Which beacon consumes colza?', 'fused'))[0], 'Chapter 199');
  await server.end();
  rmSync(join(modelFolder, 'embedder', 'manifest.json'));
  cpSync(join(modelFolder, 'embedder', 'onnx', 'model_quantized.onnx'), join(modelFolder, 'embedder', 'onnx', 'model.onnx'));
  await start();
  await embedded();
  const { embedders, passages } = await stored();
  assert.deepEqual([embedders.length, embedders[0] === 'embedder@test', passages], [1, false, 200]);
  assert.equal((await found('Which beacon consumes colza?', 'vectors'))[0], 'Chapter 199');
});

test('files of the embedder that are replaced under the running server make all vectors anew', async () => {
  const { embedders: before } = await stored();
  writeFileSync(join(modelFolder, 'embedder', 'config_sentence_transformers.json'), JSON.stringify({ prompts: { query: 'a ' } }));
  assert.equal(await modelsOf(server).unload('embedder'), true);
  // Questions alone notice it.
  await until(async () => (await found('Which beacon consumes colza?', 'vectors'))[0] === 'Chapter 199');
  await embedded();
  const { embedders, passages } = await stored();
  assert.deepEqual([embedders.length, embedders[0] === before[0], passages], [1, false, 200]);
});

test.run();
