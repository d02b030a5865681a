// Models on a server elsewhere that speaks the API of OpenAI: what is asked of it, what it may answer, and what happens if it fails.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { test } from 'uvu';
import { openHttp } from '../../../actors/model/http/http-engine.ts';
import { createClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type OpenAiServer, refuse, startOpenAiServer } from '../../fakes/openai-server.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { docx, form } from './files.ts';
import { HARBOUR } from './harbour.ts';

const KEY = 'secret-key-of-the-test';
const TEXT = HARBOUR.filter((paragraph) => !paragraph.startsWith('#'));

let elsewhere: OpenAiServer;
let server: TestServer;
let cookie: string;
test.before(async () => {
  elsewhere = await startOpenAiServer(KEY);
  const table = (id: string, task: string, more = '') =>
    `[[ai.models]]\nid = "${id}"\ntask = "${task}"\nengine = "http"\nurl = "${elsewhere.url}"\nmodel = "small-instruct"\napi_key = "${KEY}"\n${more}\n`;
  const models = [table('sums', 'summary'), table('tongues', 'translation', 'languages = ["en-fr", "fr-en", "en-iw"]'), table('replies', 'answer')];
  server = await startServer({ config: `[ai]\ntime_limit_seconds = 5\n${models.join('\n')}` });
  cookie = await signInAdmin(server);
});
const usual = {
  reply: (messages: readonly { content: string }[]) => messages.at(-1)?.content ?? '',
  finish: 'stop',
  misbehave: undefined,
  gate: Promise.resolve(),
};
test.before.each(() => {
  Object.assign(elsewhere, usual);
  elsewhere.asked.length = 0;
  elsewhere.left.length = 0;
  elsewhere.load.most = 0;
});
test.after(async () => {
  await server?.end();
  await elsewhere?.end();
});

const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, { cookie, ...(await form(...given)) });

test('POST /translate: line by line, in windows of whole sentences; paragraphs stay, nothing is lost', async () => {
  elsewhere.reply = (messages) => String(messages.at(-1)?.content).toUpperCase();
  const long = Array.from({ length: 60 }, (_, index) => `Sentence number ${index} of a long line is here.`).join(' ');
  elsewhere.gate = until(() => elsewhere.asked.length >= 4);
  const doc = `First line.\nSecond line.\n\n\nA new paragraph.\n\n${long}\n`;
  const { status, body, headers } = await post('/translate', { doc, src_lang: 'en', tgt_lang: 'FR' });
  assert.deepEqual([status, headers['x-ai-engine']], [200, 'tongues']);
  assert.equal(
    (await post('/translate', { doc: 'hello', src_lang: 'EN_us', tgt_lang: 'he' })).status,
    200,
    'whatever code of a language the configuration has',
  );
  // A form has CRLF at the ends of lines.
  assert.deepEqual(body, { translation: doc.replaceAll('\n', '\r\n').toUpperCase() });
  const [first] = elsewhere.asked;
  assert.deepEqual(
    [first?.path, first?.authorization, first?.body.model, first?.body.temperature, first?.body.stream],
    ['/v1/chat/completions', `Bearer ${KEY}`, 'small-instruct', 0, true],
  );
  assert.match(first?.body.messages[0].content, /from English to French/);
  assert.ok(elsewhere.asked.length > 6 && elsewhere.load.most === 4, `windows go together, but not all at once: ${elsewhere.load.most}`);
  for (const { body: asked } of elsewhere.asked) assert.ok(asked.messages[1].content.length <= 600);
  const missing = await post('/translate', { doc, src_lang: 'en', tgt_lang: 'de' });
  assert.deepEqual([missing.status, missing.body.code], [503, 'MODEL_NOT_INSTALLED']);
  assert.match(missing.body.message, /from en to de is installed; installed pairs: en-fr, en-iw, fr-en; to install one: npm run model -- pull /);
  assert.deepEqual((await post('/translate', { doc: 'Hallo', src_lang: 'de', tgt_lang: 'de' })).body, { translation: 'Hallo' });
  elsewhere.finish = 'length';
  const cut = await post('/translate', { doc: 'Hello.', src_lang: 'en', tgt_lang: 'fr' });
  assert.deepEqual([cut.status, cut.body.code], [503, 'MODEL_FAILED'], 'half a translation is none');
});

test('nine requests of one caller are at the model together: they share batches there', async () => {
  const path = (at: number) => (['/summarize', '/context_predict', '/rag_predict'] as const)[at % 3] as '/summarize' | '/context_predict' | '/rag_predict';
  const fields = {
    '/summarize': { doc: 'One.' },
    '/context_predict': { context: 'One.', query: 'What?' },
    '/rag_predict': { db: 'documents', query: 'Hours?' },
  };
  const bytes = await docx(['Hours: the museum opens at ten.']);
  assert.equal((await post('/add_reference', { db: 'documents', reference: 'hours' }, { name: 'a.docx', bytes })).status, 200);
  elsewhere.gate = until(() => elsewhere.load.now >= 9);
  const answers = await Promise.all(Array.from({ length: 9 }, (_, at) => post(path(at), fields[path(at)])));
  assert.deepEqual([answers.map(({ status }) => status), elsewhere.load.most], [Array(9).fill(200), 9]);
  await server.ask('DELETE', '/delete_reference', { cookie, ...(await form({ db: 'documents', reference: 'hours' })) });
});

test('POST /summarize: one window in one pass, several are summarised each and then together', async () => {
  elsewhere.reply = (messages) => `${String(messages.at(-1)?.content).split('.')[0]}.`;
  assert.deepEqual((await post('/summarize', { doc: TEXT[0] as string })).body, { summary: 'The watchman of the harbour is called Elias Brandt.' });
  assert.equal(elsewhere.asked.length, 1);
  assert.deepEqual((await post('/summarize', { doc: '' })).body, { summary: '' });
  const long = Array.from({ length: 400 }, (_, index) => `Number ${index} is the beginning of a sentence that says little.`).join(' ');
  elsewhere.asked.length = 0;
  const { body, headers } = await post('/summarize', { doc: long });
  assert.deepEqual([body.summary, headers['x-ai-engine']], ['Number 0 is the beginning of a sentence that says little.', 'sums']);
  const inputs = elsewhere.asked.map(({ body: asked }) => asked.messages[1].content as string);
  assert.ok(inputs.length > 8);
  // Every sentence was read once, and the last pass reads what the first ones said.
  const last = inputs.findIndex((input) => (input.match(/Number/g)?.length ?? 0) === inputs.length - 1);
  assert.ok(last >= 0, 'the parts are summarised together');
  const read = inputs
    .filter((_, index) => index !== last)
    .join(' ')
    .match(/Number \d+ is/g);
  assert.equal(new Set(read).size, 400);
});

test('POST /context_predict and /rag_predict: the question first, the most relevant texts behind it', async () => {
  elsewhere.reply = () => ' Elias Brandt. ';
  const filler = Array.from({ length: 300 }, (_, index) => `Filler ${index} says nothing of interest to anybody here.`).join(' ');
  const { body, headers } = await post('/context_predict', { context: `${filler} ${TEXT.join(' ')}`, query: 'Who is the\nwatchman of the harbour?' });
  assert.deepEqual([body, headers['x-ai-engine']], [{ result: ['Elias Brandt.'] }, 'replies']);
  const prompt = elsewhere.asked.at(-1)?.body.messages[1].content as string;
  assert.ok(prompt.startsWith('question: Who is the watchman of the harbour? context: '), prompt.slice(0, 80));
  assert.ok(prompt.includes('Elias Brandt') && prompt.length < 3_100 + 60);
  const file = { name: 'harbour.docx', bytes: await docx(HARBOUR) };
  assert.equal((await post('/add_reference', { db: 'documents', reference: 'harbour' }, file)).status, 200);
  const asked = await post('/rag_predict', { db: 'documents', query: 'Who is the watchman?', sources: 'true' });
  assert.deepEqual(asked.body.result, ['Elias Brandt.']);
  assert.match(elsewhere.asked.at(-1)?.body.messages[1].content, /context: .*Elias Brandt/s);
  assert.match(asked.body.sources[0].text, /Elias Brandt/);
  elsewhere.asked.length = 0;
  assert.deepEqual((await post('/rag_predict', { db: 'documents', query: 'zzz' })).body, { result: [] });
  assert.equal(elsewhere.asked.length, 0, 'without a passage nothing is asked, and nothing made up');
  assert.equal((await post('/context_predict', { context: 'a', query: 'why '.repeat(2_000) })).status, 400);
});

test('a client that leaves cancels what runs elsewhere, and the time limit ends it', async () => {
  let open = () => {};
  elsewhere.gate = new Promise((resolve) => (open = resolve));
  const leaving = new AbortController();
  const engine = await openHttp(spec(), around());
  const running = engine.generate({ inputs: ['a', 'b'], maxNewTokens: 8 }, { signal: leaving.signal });
  await until(() => elsewhere.asked.length === 2);
  leaving.abort();
  await assert.rejects(running, (error: Fault) => error.code === 'CANCELLED');
  await until(() => elsewhere.left.length === 2);
  const late = post('/summarize', { doc: 'One sentence only.' });
  await until(() => elsewhere.asked.length === 3);
  server.clock.offset[0] = (server.clock.offset[0] as bigint) + 6_000n;
  server.clock.fireDue();
  const { status, body } = await late;
  assert.deepEqual([status, body.code], [422, 'MODEL_TIME_LIMIT']);
  await until(() => elsewhere.left.length === 3);
  open();
  await engine.close();
});

test('of several texts of one request nobody goes on elsewhere once one has failed', async () => {
  elsewhere.gate = new Promise(() => {});
  elsewhere.misbehave = (asked, response) => {
    const isUnfit = JSON.stringify(asked.body).includes('unfit');
    if (isUnfit) void until(() => elsewhere.asked.length === 4).then(() => refuse(response, 400, 'too long'));
    return isUnfit;
  };
  const engine = await openHttp(spec(), around());
  const running = engine.generate({ inputs: ['a', 'b', 'unfit', 'c', 'd'], maxNewTokens: 8 }, { signal: new AbortController().signal });
  await assert.rejects(running, (error: Fault) => error.code === 'MODEL_FAILED');
  await until(() => elsewhere.left.length === 3);
  assert.equal(elsewhere.asked.length, 4);
  await engine.close();
});

const spec = () =>
  ({
    id: 'm',
    task: 'answer',
    engine: 'http',
    folder: '',
    precision: 'auto',
    beams: 0,
    url: elsewhere.url,
    model: 'small-instruct',
    apiKey: KEY,
    languages: [],
  }) as const;
const logged: unknown[] = [];
const around = () => {
  const write = (fields: object, message?: string) => void logged.push(JSON.stringify(fields), message);
  return { clock: createClock(), log: { debug: write, info: write, warn: write, error: write } as never, threads: 1, useMatrixAcceleration: false };
};

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a streamed answer arrives word by word; an error behind the first word is an event', async () => {
  let go = () => {};
  const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
  elsewhere.misbehave = (_, response) => {
    response.writeHead(200).write(chunk('first'));
    go = () => void response.end(chunk(' second'));
    return true;
  };
  const { headers, body } = await form({ doc: 'One sentence only.' });
  const options = {
    method: 'POST',
    rejectUnauthorized: false,
    agent: false,
    headers: { ...headers, accept: 'text/event-stream', cookie: `_ea_=${cookie}` },
  } as const;
  const open = (sent: unknown) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(`${server.address}/summarize`, options, resolve).on('error', reject).end(sent);
    });
  const answer = await open(body);
  assert.deepEqual([answer.headers['x-ai-engine'], answer.headers['x-accel-buffering']], ['sums', 'no']);
  let text = '';
  answer.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  await until(() => text !== '');
  assert.equal(text, 'event: text\ndata: {"text":"first"}\n\n');
  go();
  await new Promise((resolve) => answer.on('end', resolve));
  assert.match(text, /event: text\ndata: \{"text":" second"\}\n\nevent: error\ndata: \{"code":"MODEL_FAILED","message":"[^"]+"\}\n\n$/);
  // A client that leaves in the middle ends what runs elsewhere.
  const leaving = await open(body);
  await new Promise((resolve) => leaving.once('data', resolve));
  const before = elsewhere.left.length;
  leaving.destroy();
  await until(() => elsewhere.left.length > before);
  elsewhere.misbehave = (_, response) => Boolean(refuse(response, 401, 'no')) || true;
  const early = await open(body);
  assert.equal(early.statusCode, 503);
  early.resume();
});

test('answers that are wrong, endless or broken are refused, and errors show neither key nor text', async () => {
  const engine = await openHttp(spec(), around());
  const never = new AbortController().signal;
  const ask = () => engine.generate({ inputs: ['a'], maxNewTokens: 4 }, { signal: never });
  const stream = (text: string) => (_: unknown, response: import('node:http').ServerResponse) => Boolean(response.writeHead(200).end(text)) || true;
  const chunk = (content: string, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\r\n\r\n`;
  elsewhere.misbehave = stream(`${chunk('fine')}data:{"choices":[{"delta":null,"finish_reason":"stop"}]}\n\ndata: {"choices":null}\n\n`);
  assert.deepEqual(await ask(), ['fine'], 'no [DONE] is needed, and no space behind data:');
  for (const [status, code] of [
    [401, 'MODEL_FAILED'],
    [400, 'MODEL_FAILED'],
    [429, 'MODEL_BUSY'],
    [302, 'MODEL_FAILED'],
  ] as const) {
    elsewhere.misbehave = (_, response) =>
      Boolean(response.setHeader('location', `${elsewhere.url}/else`) && refuse(response, status, `bad key ${KEY}`)) || true;
    await assert.rejects(ask(), (error: Fault) => error.code === code && !error.message.includes(KEY) && !error.message.includes('bad key'), String(status));
  }
  const before = elsewhere.asked.length;
  assert.ok(!elsewhere.asked.some(({ path }) => path.endsWith('/else')), 'redirects are not followed');
  for (const [text, about] of [
    [chunk('half'), 'ends early'],
    ['data: {"error":{"message":"out of memory"}}\n\n', 'an error within'],
    ['data: no json\n\n', 'no JSON'],
  ] as const) {
    elsewhere.misbehave = stream(text);
    await assert.rejects(ask(), (error: Fault) => error.code === 'MODEL_FAILED', about);
  }
  elsewhere.misbehave = undefined;
  assert.deepEqual(await ask(), ['a'], 'a good answer begins the count anew');
  elsewhere.misbehave = stream(chunk('x'.repeat(4 * 32 + 1), 'stop'));
  await assert.rejects(ask(), (error: Fault) => error.code === 'MODEL_FAILED', 'longer than asked for');
  elsewhere.misbehave = stream(`: ${'x'.repeat(200_000)}`);
  await assert.rejects(ask(), (error: Fault) => error.code === 'MODEL_FAILED', 'endless');
  assert.ok(elsewhere.asked.length > before);
  assert.ok(logged.length > 0 && !logged.join('\n').includes(KEY) && !server.lines.some((line) => JSON.stringify(line).includes(KEY)));
  await engine.close();
});

test('after five failures in a row a server is left alone, then one request tries it', async () => {
  const surroundings = around();
  const engine = await openHttp(spec(), surroundings);
  const ask = () => engine.generate({ inputs: ['a'], maxNewTokens: 4 }, { signal: new AbortController().signal });
  const move = (ms: number) => {
    surroundings.clock.offset[0] = (surroundings.clock.offset[0] as bigint) + BigInt(ms);
  };
  elsewhere.finish = 'content_filter';
  for (let count = 0; count < 6; count++) await assert.rejects(ask(), /filters the answer to this text/, 'others have texts that it answers');
  elsewhere.asked.length = 0;
  elsewhere.misbehave = (_, response) => Boolean(refuse(response, 500, 'no')) || true;
  for (let count = 0; count < 7; count++) await assert.rejects(ask(), (error: Fault) => error.code === 'MODEL_FAILED');
  assert.equal(elsewhere.asked.length, 5);
  move(31_000);
  await assert.rejects(ask());
  await assert.rejects(ask(), /left alone/);
  assert.equal(elsewhere.asked.length, 6, 'one tries, and fails');
  move(31_000);
  Object.assign(elsewhere, usual);
  assert.deepEqual(await ask(), ['a']);
  assert.deepEqual(await ask(), ['a']);
  await engine.close();
});

test('embeddings: by index, of length 1, long texts in windows; wrong ones are refused', async () => {
  const engine = await openHttp({ ...spec(), task: 'embedding' }, around());
  const never = new AbortController().signal;
  elsewhere.embed = (text) => (text.startsWith('b') ? [0, 3, 4] : [2, 0, 0]);
  const long = 'A sentence of a long text. '.repeat(200);
  const vectors = await engine.embed(['a', 'b', long], 'passage', never);
  assert.deepEqual(
    vectors.slice(0, 2).map((windows) => windows.map((vector) => [...vector].map((value) => Math.round(value * 10) / 10))),
    [[[1, 0, 0]], [[0, 0.6, 0.8]]],
  );
  assert.ok((vectors[2]?.length ?? 0) > 3);
  assert.deepEqual(await engine.embed([], 'query', never), []);
  for (const embedding of [[], ['1'], [null], 'AAAA', [1, Number.NaN]]) {
    elsewhere.embed = () => embedding as number[];
    await assert.rejects(engine.embed(['a'], 'query', never), (error: Fault) => error instanceof Fault && error.code === 'MODEL_FAILED');
  }
  await engine.close();
});

test('POST /rag_predict: passages are found by the vectors of a server elsewhere', async () => {
  elsewhere.embed = (text) => (/watchman|warden/i.test(text) ? [3, 0.1, 0] : [0.1, 0, 5]);
  const config = `[ai]\nopen = true\n[[ai.models]]\nid = "meanings"\ntask = "embedding"\nengine = "http"\nurl = "${elsewhere.url}"\nmodel = "small-instruct"\napi_key = "${KEY}"\n`;
  const other = await startServer({ config });
  try {
    const ask = async (path: string, ...given: Parameters<typeof form>) => other.ask('POST', path, await form(...given));
    assert.equal((await ask('/add_reference', { db: 'documents', reference: 'harbour' }, { name: 'a.docx', bytes: await docx(HARBOUR) })).status, 200);
    let status: { waiting: number; problem?: string } = { waiting: 1 };
    for (let turn = 0; status.waiting > 0 && turn < 400; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      status = (await other.ask('GET', '/models')).body.embedding;
    }
    assert.deepEqual(status, { references: 1, waiting: 0 });
    const question = { db: 'documents', query: 'Which warden of the port?', sources: 'true' };
    for (const ranking of ['vectors', 'fused']) {
      const { status, body } = await ask('/rag_predict', { ...question, ranking });
      assert.deepEqual([status, body.sources[0]?.chapter], [200, 'The Watchman'], ranking);
    }
    assert.deepEqual((await ask('/rag_predict', { ...question, ranking: 'words' })).body.sources, []);
    assert.ok(
      elsewhere.asked.every(
        ({ path, authorization, body }) => path === '/v1/embeddings' && authorization === `Bearer ${KEY}` && body.model === 'small-instruct',
      ),
    );
    elsewhere.asked.length = 0;
    assert.equal((await ask('/rag_predict', { ...question, db: 'unknown' })).status, 404);
    assert.equal(elsewhere.asked.length, 0);
    elsewhere.embed = () => [1, 2];
    for (const ranking of ['vectors', 'fused']) {
      const { status, body } = await ask('/rag_predict', { ...question, ranking });
      assert.deepEqual([status, body.code], [503, 'MODEL_FAILED']);
      assert.match(body.message, /makes other vectors than before \(of 2 numbers\): give it another id/);
    }
    elsewhere.misbehave = (_, response) => Boolean(refuse(response, 500, 'no')) || true;
    const failed = await ask('/rag_predict', question);
    assert.deepEqual([failed.status, failed.body.code], [503, 'MODEL_FAILED'], 'never silently by words');
  } finally {
    await other.end();
  }
});

test.run();
