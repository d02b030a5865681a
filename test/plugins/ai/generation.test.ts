// Texts that models on this machine write: known sentences are translated exactly, long texts in windows, answers come from what was given.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import type { Fault } from '../../../kernel/fault.ts';
import { callWith } from '../../../kernel/runtime/mailbox/remote.ts';
import { writeModel } from '../../models/build.ts';
import { lessons, type Pair } from '../../models/phrasebook.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../../server.ts';
import { docx, form } from './files.ts';
import { modelsOf } from './models.ts';

const folder = temporaryFolder();
const table = (id: string, task: string, of: string, more = '') => `[[ai.models]]\nid = "${id}"\ntask = "${task}"\nfolder = "${join(folder, of)}"\n${more}\n`;
const CONFIG = [
  table('en-fr', 'translation', 'opus-mt-en-fr', 'languages = ["en-fr"]'),
  table('fr-en', 'translation', 'opus-mt-fr-en', 'languages = ["fr-en"]'),
  table('en-fr-small', 'translation', 'opus-mt-en-fr', 'languages = ["en-fr"]\nprecision = "q8"'),
  table('fr-en-small', 'translation', 'opus-mt-fr-en', 'languages = ["fr-en"]\nprecision = "q8"'),
  table('sums', 'summary', 'summary'),
  table('replies', 'answer', 'answers'),
  table('unsuited', 'summary', 'unsuited/summary'),
  table('broken', 'translation', 'broken', 'languages = ["en-de"]'),
].join('\n');

let server: TestServer;
let cookie: string;
test.before(async () => {
  for (const id of ['opus-mt-en-fr', 'opus-mt-fr-en', 'summary', 'answers'] as const) writeModel(id, folder);
  server = await startServer({ config: CONFIG });
  cookie = await signInAdmin(server);
});
test.after(async () => {
  await server?.end();
  rmSync(folder, { recursive: true, force: true });
});

const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, { cookie, ...(await form(...given)) });
const translate = (from: string, to: string, doc: string) => post('/translate', { doc, src_lang: from, tgt_lang: to });
/** As texts are written: a full stop at the end, and no space before it. The model writes no capitals. */
const sentence = (text: string) => (text.endsWith(' ?') ? text : `${text}.`).replaceAll("l' ", "l'");
const asked = (text: string) => sentence(text).replace(/^./, (first) => first.toUpperCase());
const known = (from: 'en' | 'fr'): readonly Pair[] => lessons(from).heldOut.slice(0, 24);

test('POST /translate: sentences that the model was never shown, alone and in many requests at once', async () => {
  const alone = await translate('en', 'fr', 'hello world');
  assert.deepEqual([alone.status, alone.body, alone.headers['x-ai-engine']], [200, { translation: 'bonjour le monde' }, 'en-fr']);
  assert.equal((await translate('fr', 'en', "l'arbre blanc tombe. merci.")).body.translation, 'the white tree falls. thank you.');
  // Of unequal lengths: from a word to a line of several windows.
  const docs = known('en')
    .slice(0, 9)
    .map((_, index) => known('en').slice(0, 1 + 2 * index));
  const answers = await Promise.all(docs.map((pairs) => translate('en', 'fr', pairs.map(([english]) => asked(english)).join(' '))));
  for (const [index, { status, body }] of answers.entries()) {
    const wanted = (docs[index] as readonly Pair[]).map(([, french]) => sentence(french)).join(' ');
    assert.deepEqual([status, body], [200, { translation: wanted }]);
  }
});

test('paragraphs stay, and every sentence of a long text is there', async () => {
  const pairs = known('fr');
  const paragraph = (side: 0 | 1) => pairs.map((pair) => (side === 0 ? asked : sentence)(pair[side])).join(' ');
  const { body } = await translate('fr', 'en', `${paragraph(0)}\n\nbonjour.\n${paragraph(0)}\n`);
  assert.equal(body.translation, `${paragraph(1)}\r\n\r\nhello.\r\n${paragraph(1)}\r\n`);
});

test('quantised, in a batch of unequal lengths: the same sentences, and no row writes on after its end', async () => {
  for (const [id, from, to] of [
    ['en-fr-small', 'en', 'fr'],
    ['fr-en-small', 'fr', 'en'],
    ['en-fr', 'en', 'fr'],
  ] as const) {
    const pairs = known(from);
    const both = (side: 0 | 1) =>
      pairs.map((pair, index) =>
        index % 3 === 0 ? `${sentence(pair[side])} ${sentence(pairs[index + 1]?.[side] as string)}` : pair[side].replaceAll("l' ", "l'"),
      );
    const [inputs, wanted] = [both(0), both(1)];
    assert.deepEqual(await modelsOf(server).generate(id, { inputs: ['', ...inputs], maxNewTokens: 60, languages: { from, to } }, 'test'), ['', ...wanted]);
  }
  // Left alone, this model begins again after its end: a row of unlike length shows it.
  const texts = ['the lamp burns.', 'the watchman of the harbour has kept the old light for four years.', 'the bell rang.'];
  assert.deepEqual(await modelsOf(server).generate('sums', { inputs: texts, maxNewTokens: 2_000 }, 'test'), texts);
});

test('too long an input is written in parts, and an unfinished translation is an error', async () => {
  const pairs = known('en').slice(0, 12);
  const long = pairs.map(([english]) => asked(english)).join(' ');
  const [whole] = await modelsOf(server).generate('en-fr', { inputs: [long], maxNewTokens: 200, languages: { from: 'en', to: 'fr' } }, 'test');
  assert.equal(whole, pairs.map(([, french]) => sentence(french)).join(' '));
  const cut = modelsOf(server).generate('en-fr', { inputs: ['the black cat sleeps'], maxNewTokens: 2, languages: { from: 'en', to: 'fr' } }, 'test');
  await assert.rejects(cut, (error: Fault) => error.code === 'MODEL_FAILED' && /did not finish/.test(error.message));
});

test('POST /summarize: a sentence from far behind comes through all passes', async () => {
  const filler = Array.from({ length: 120 }, () => 'The lamp burns colza oil. The old bell rang all night.').join(' ');
  const doc = `${filler} The king kept the secret treasure. ${filler}`;
  const { status, body, headers } = await post('/summarize', { doc });
  assert.deepEqual([status, body, headers['x-ai-engine']], [200, { summary: 'the king kept the secret treasure.' }, 'sums']);
});

test('POST /context_predict and /rag_predict: the sentence that answers; none where there is none', async () => {
  const context = 'The watchman of the harbour is called Elias Brandt. The storm broke the mole in March. The lamp burns colza oil.';
  const filler = Array.from({ length: 80 }, () => 'The town pays for three fishing boats.').join(' ');
  for (const given of [context, `${filler} ${context} ${filler}`]) {
    const { body, headers } = await post('/context_predict', { context: given, query: 'who is the watchman?' });
    assert.deepEqual([body, headers['x-ai-engine']], [{ result: ['the watchman of the harbour is called elias brandt.'] }, 'replies']);
  }
  assert.deepEqual((await post('/context_predict', { context, query: 'is there granite?' })).body, { result: [] });
  assert.deepEqual((await post('/context_predict', { context: '', query: 'who?' })).body, { result: [] });
  const file = { name: 'harbour.docx', bytes: await docx(['# harbour', ...context.split('. ').map((text) => `${text.replace(/\.$/, '')}.`)]) };
  assert.equal((await post('/add_reference', { db: 'documents', reference: 'harbour' }, file)).status, 200);
  const { body } = await post('/rag_predict', { db: 'documents', query: 'what broke the mole?', sources: 'true' });
  assert.deepEqual(body.result, ['the storm broke the mole in march.']);
  assert.match(body.sources[0].text, /broke the mole/);
});

test('a question that no prompt can hold is refused before any work is done for it', async () => {
  const requests = async () => (await modelsOf(server).list()).find(({ id }) => id === 'replies')?.figures.requests['ok'];
  const before = await requests();
  for (const [path, given] of Object.entries({ '/context_predict': { context: 'The bell rang.' }, '/rag_predict': { db: 'documents' } })) {
    const { status, body } = await post(path, { ...given, query: 'who is the watchman of the harbour? '.repeat(2_000) });
    assert.deepEqual([status, body.message], [400, 'query: the question is too long for the model']);
  }
  assert.equal(await requests(), before);
});

test('while a long text is cut, the model answers others; who leaves ends it', async () => {
  const long = 'x'.repeat(1_500_000);
  const short = () => modelsOf(server).generate('replies', { inputs: ['question: who? context: the bell rang.'], maxNewTokens: 9 }, 'other');
  await short();
  const order: string[] = [];
  const cutting = modelsOf(server)
    .cut('replies', [long], 100, 'one')
    .then(() => order.push('long'));
  await short().then(() => order.push('short'));
  await cutting;
  assert.deepEqual(order, ['short', 'long']);
  const leave = new AbortController();
  const left = callWith(modelsOf(server), { signal: leave.signal }).cut('replies', [long.repeat(10)], 100, 'one');
  await short();
  leave.abort();
  await assert.rejects(left, (error: Fault) => error.code === 'CANCELLED');
  await short();
});

test('a model that is not there or cannot be run says so, and nothing else answers in its place', async () => {
  const missing = await translate('en', 'de', 'hello');
  assert.deepEqual([missing.status, missing.body.code], [503, 'MODEL_NOT_INSTALLED']);
  assert.match(missing.body.message, /its folder lacks config\.json/);
  const none = await translate('de', 'en', 'hallo');
  assert.match(none.body.message, /from de to en is installed; installed pairs: en-de, en-fr, fr-en; to install one: npm run model -- pull/);
  const unsuited = join(writeModel('summary', join(folder, 'unsuited')), 'config.json');
  rmSync(join(folder, 'unsuited', 'summary', 'manifest.json'));
  writeFileSync(unsuited, '{"model_type":"m2m_100"}');
  const refused = modelsOf(server).generate('unsuited', { inputs: ['the bell rang.'], maxNewTokens: 9 }, 'test');
  await assert.rejects(refused, (error: Fault) => error.code === 'MODEL_FAILED' && /answers begin with a language are not supported/.test(error.message));
});

const events = (text: string) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((event) => (/^event: (\w+)\ndata: (.*)$/.exec(event) as RegExpExecArray).slice(1))
    .map(([name, data]) => [name, JSON.parse(data as string)]);

test('Accept: text/event-stream: words as they are written, then the whole in its usual shape', async () => {
  const stream = async (path: string, fields: Record<string, string>) => {
    const { headers, ...rest } = await form(fields);
    const { status, headers: got, text } = await server.ask('POST', path, { cookie, headers: { ...headers, accept: 'text/event-stream' }, ...rest });
    assert.deepEqual([status, got['content-type']], [200, 'text/event-stream; charset=utf-8'], text);
    const all = events(text);
    assert.deepEqual(all.map(([name]) => name).slice(-2), all.length > 1 ? ['text', 'result'] : ['result']);
    return { pieces: all.slice(0, -1).map(([, { text: piece }]) => piece as string), result: all.at(-1)?.[1] };
  };
  const context = 'The watchman of the harbour is called Elias Brandt. The lamp burns colza oil.';
  const answered = await stream('/context_predict', { context, query: 'who is the watchman?' });
  const answer = 'the watchman of the harbour is called elias brandt.';
  assert.deepEqual([answered.pieces.join(''), answered.result], [answer, { result: [answer] }]);
  const summed = await stream('/summarize', { doc: context });
  assert.deepEqual([summed.pieces.join(''), summed.result], [answer, { summary: answer }]);
  const pairs = known('en').slice(0, 16);
  const doc = `${pairs.map(([english]) => asked(english)).join(' ')}\n\nHello world.`;
  const translated = await stream('/translate', { doc, src_lang: 'en', tgt_lang: 'fr' });
  assert.equal(translated.result.translation, `${pairs.map(([, french]) => sentence(french)).join(' ')}\r\n\r\nbonjour le monde.`);
  assert.equal(translated.pieces.join(''), translated.result.translation);
  assert.ok(translated.pieces.length > 1);
  assert.deepEqual(await stream('/translate', { doc: 'a', src_lang: 'en', tgt_lang: 'en' }), { pieces: [], result: { translation: 'a' } });
  const refused = await server.ask('POST', '/translate', { cookie, ...(await form({ doc: 'a', src_lang: 'xx', tgt_lang: 'en' })) });
  assert.equal(refused.status, 400);
});

test('the lines of a text are cut in one request, and pieces that nobody reads are not kept', async () => {
  const served = async () => (await modelsOf(server).list()).find(({ id }) => id === 'en-fr')?.figures.requests['ok'] ?? 0;
  const before = await served();
  const { body } = await translate('en', 'fr', 'hello world\n'.repeat(60));
  assert.equal(body.translation, 'bonjour le monde\r\n'.repeat(60));
  // One cuts, two write 32 texts each.
  assert.equal((await served()) - before, 3);
  const write = async () => {
    const ticket = randomUUID();
    await modelsOf(server).generate('en-fr', { inputs: ['hello world'], maxNewTokens: 60 }, 'test', ticket);
    return ticket;
  };
  const told = await modelsOf(server).pieces(await write());
  assert.equal(told?.map(([, piece]) => piece).join(''), 'bonjour le monde');
  const left = await write();
  await server.runtime.advance(31_000);
  assert.equal(await modelsOf(server).pieces(left), undefined);
});

test('a client that leaves ends its work, waiting or running', async () => {
  const leaving = new AbortController();
  const inputs = Array.from({ length: 400 }, () =>
    known('en')
      .slice(0, 4)
      .map(([english]) => asked(english))
      .join(' '),
  );
  const running = callWith(modelsOf(server), { signal: leaving.signal }).generate('en-fr', { inputs, maxNewTokens: 60 }, 'test');
  const requests = async () => (await modelsOf(server).list()).find(({ id }) => id === 'en-fr')?.requests;
  while ((await requests()) !== 1) await new Promise((resolve) => setTimeout(resolve, 2));
  leaving.abort();
  await assert.rejects(running, (error: Fault) => error.code === 'CANCELLED');
  while ((await requests()) !== 0) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.equal((await translate('en', 'fr', 'hello')).body.translation, 'bonjour');
});

test.run();
