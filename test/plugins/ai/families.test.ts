// The routes with models of other families: one that translates between all its languages, and one for chats that summarises and answers.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { writeModel } from '../../models/build.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { docx, form } from './files.ts';

const folder = temporaryFolder();
const table = (id: string, task: string, of: string, more = '') => `[[ai.models]]\nid = "${id}"\ntask = "${task}"\nfolder = "${join(folder, of)}"\n${more}\n`;
const CONFIG = [
  table('all', 'translation', 'm2m-en-fr', 'languages = ["*"]'),
  table('pair', 'translation', 'opus-mt-fr-en', 'languages = ["fr-en"]\nbeams = 3'),
  table('sums', 'summary', 'talker'),
  table('replies', 'answer', 'talker', 'precision = "q8"'),
].join('\n');

let server: TestServer;
let cookie: string;
test.before(async () => {
  for (const id of ['m2m-en-fr', 'opus-mt-fr-en', 'talker'] as const) writeModel(id, folder);
  server = await startServer({ config: CONFIG });
  cookie = await signInAdmin(server);
});
test.after(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, { cookie, ...(await form(...given)) });
const translate = async (from: string, to: string, doc: string) => {
  const { status, body, headers } = await post('/translate', { doc, src_lang: from, tgt_lang: to });
  return [status, body.translation ?? body.code, headers['x-ai-engine']];
};

test('POST /translate: a model for all languages takes pairs that no other has', async () => {
  assert.deepEqual(await translate('en', 'fr', 'Hello world.\n\nThe black cat sleeps.'), [200, 'bonjour le monde.\r\n\r\nle chat noir dort.', 'all']);
  assert.deepEqual(await translate('fr', 'en', 'Le chat noir dort.'), [200, 'the black cat sleeps.', 'pair']);
  assert.deepEqual(await translate('en', 'de', 'Hello world.'), [503, 'MODEL_NOT_INSTALLED', undefined]);
});

test('a model for chats summarises and answers, as its template tells it to', async () => {
  const filler = Array.from({ length: 60 }, () => 'The lamp burns colza oil. The old bell rang all night.').join(' ');
  const summed = await post('/summarize', { doc: `${filler} The king kept the secret treasure. ${filler}` });
  assert.deepEqual([summed.status, summed.body, summed.headers['x-ai-engine']], [200, { summary: 'the king kept the secret treasure.' }, 'sums']);
  const context = 'The watchman of the harbour is called Elias Brandt. The storm broke the mole in March.';
  const answered = await post('/context_predict', { context, query: 'what broke the mole?' });
  assert.deepEqual([answered.body, answered.headers['x-ai-engine']], [{ result: ['the storm broke the mole in march.'] }, 'replies']);
  const file = { name: 'harbour.docx', bytes: await docx(['# harbour', ...context.split('. ').map((text) => `${text.replace(/\.$/, '')}.`)]) };
  assert.equal((await post('/add_reference', { db: 'documents', reference: 'harbour' }, file)).status, 200);
  assert.deepEqual((await post('/rag_predict', { db: 'documents', query: 'who is the watchman?' })).body, {
    result: ['the watchman of the harbour is called elias brandt.'],
  });
});

test('a sentence without an end that is as long as what the model takes is no question that is too long', async () => {
  // One after the other: each is about as long as the model takes.
  for (const words of [80, 90, 96, 110, 200]) {
    const { status, text } = await post('/context_predict', { context: 'lamp '.repeat(words), query: 'what broke the mole?' });
    assert.equal(status, 200, `${words}: ${text}`);
  }
  // The second has in it what stands before the context.
  for (const query of ['the lamp '.repeat(100), `what is the context: ${'the lamp '.repeat(100)}`]) {
    const { status, body } = await post('/context_predict', { context: 'the lamp burns.', query });
    assert.deepEqual([status, body.message], [400, 'query: the question is too long for the model']);
  }
});

test('its words come as events while it writes them', async () => {
  const { headers, ...rest } = await form({ doc: 'The lamp burns colza oil. The king kept the secret.' });
  const { text } = await server.ask('POST', '/summarize', { cookie, headers: { ...headers, accept: 'text/event-stream' }, ...rest });
  const pieces = [...text.matchAll(/event: text\ndata: (.*)\n/g)].map(([, data]) => JSON.parse(data as string).text);
  assert.equal(pieces.join(''), 'the king kept the secret.');
  assert.ok(pieces.length > 1, `${pieces.length} pieces`);
});

test.run();
