// Hostile texts: without spaces, without letters, of thousands of lines or marks. Each is answered in bounded time, without a model and by models of this machine.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'uvu';
import { openTokenizer } from '../../../actors/model/onnx/tokenizer.ts';
import { answersTo } from '../../../text/answers.ts';
import { passagesOf } from '../../../text/passages.ts';
import { byRelevance } from '../../../text/relevance.ts';
import { sentenceSpans, sentencesOf } from '../../../text/sentences.ts';
import { summaryOf } from '../../../text/summary.ts';
import { termsOf } from '../../../text/words.ts';
import { writeModel } from '../../models/build.ts';
import { signInAdmin, startServer, temporaryFolder } from '../../server.ts';
import { form } from './files.ts';

const LENGTH = 600_000;
/** CPU time: other work on the machine does not count. What took time with the square of the length took minutes. */
const MAX_CPU_MS = 10_000;

const repeated = (unit: string, length = LENGTH) => unit.repeat(Math.floor(length / unit.length));
const numbered = (made: (index: number) => string, count: number) => Array.from({ length: count }, (_, index) => made(index)).join(' ');

const TEXTS: Readonly<Record<string, string>> = {
  'one word': repeated('a'),
  'no spaces, of many kinds': numbered((index) => String.fromCharCode(97 + ((index * 7_919) % 26)), LENGTH / 2).replaceAll(' ', ''),
  'halves of surrogate pairs': repeated('\ud83d'),
  NUL: repeated('\u0000'),
  'right to left, with overrides': repeated('שלום \u202eעולם. '),
  'combining marks': repeated('e\u0301\u0302\u0303'),
  'marks without a letter': repeated('\u0301'),
  'empty paragraphs': repeated('\n \n'),
  'short lines': repeated('ab.\n'),
  abbreviations: repeated('A. '),
  'sentences of new words': numbered((index) => `The common word w${index}.`, 30_000),
  'an unspaced script': repeated('日本語文章'),
  'a list of short items': repeated('\n- a.'),
  'characters that stand for eighteen': repeated('\ufdfa'),
  'one word of millions of letters': repeated('é', 6_000_000),
};

function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

for (const [what, text] of Object.entries(TEXTS))
  test(`${what}: sentences, terms, a summary and an answer in bounded time`, () => {
    const ms = cpuMsOf(() => {
      sentencesOf(text);
      assert.equal(
        sentenceSpans(text).reduce((sum, [start, end]) => sum + end - start, 0),
        text.length,
        'nothing is lost',
      );
      termsOf(text);
      summaryOf(text);
      answersTo('What is the common word?', [text]);
    });
    assert.ok(ms < MAX_CPU_MS, `${ms} ms`);
  });

test('a question as long as a text, of words that all differ', () => {
  const [query, context] = [numbered((index) => `q${index}`, 100_000), numbered((index) => `The word q${index * 3} is here.`, 20_000)];
  const ms = cpuMsOf(() => {
    assert.equal(answersTo(query, [context]).length, 3);
    assert.equal(byRelevance(query, ['nothing of it', ...sentencesOf(context)]).at(-1), 'nothing of it');
  });
  assert.ok(ms < MAX_CPU_MS, `${ms} ms`);
});

const folder = temporaryFolder();
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('passages of a text without spaces are cut between characters', () => {
  const text = `a${'😀'.repeat(5_000)}`;
  const passages = passagesOf([{ text, isHeading: false }]).map((passage) => passage.text);
  assert.equal(passages.join('').replaceAll(' ', ''), text);
  for (const passage of passages) assert.ok(passage.isWellFormed());
});

test('a long heading is cut between characters', () => {
  const [passage] = passagesOf([
    { text: `a${'😀'.repeat(200)}`, isHeading: true },
    { text: 'The gate is open.', isHeading: false },
  ]);
  assert.equal(passage?.chapter, `a${'😀'.repeat(99)}`);
});

test('tokenizers cut every one of them in bounded time, and lose nothing', async () => {
  const tokenizer = await openTokenizer(writeModel('opus-mt-en-fr', folder));
  for (const [what, text] of Object.entries(TEXTS)) {
    const some = text.slice(0, LENGTH / 10);
    const ms = cpuMsOf(() => {
      const pieces = tokenizer.cut(some, 100);
      assert.equal(pieces.map(([start, end]) => some.slice(start, end)).join(''), some, what);
      tokenizer.windows(some, 100);
    });
    assert.ok(ms < MAX_CPU_MS, `${what}: ${ms} ms`);
  }
});

test('a text without any token has one window, however long it is', async () => {
  const tokenizer = await openTokenizer(writeModel('embedder', folder));
  for (const text of ['', ' ', ' '.repeat(LENGTH), '\u0000'.repeat(LENGTH)]) assert.deepEqual(tokenizer.windows(text, 100), [tokenizer.enclose([])]);
});

test('a word of one token too many is cut, also between the halves of a pair only', async () => {
  const tokenizer = await openTokenizer(writeModel('opus-mt-en-fr', folder));
  const text = `the ${'😀'.repeat(2_000)} tree`;
  const pieces = tokenizer.cut(text, 3).map(([start, end]) => text.slice(start, end));
  assert.equal(pieces.join(''), text);
  for (const piece of pieces) assert.ok(piece.isWellFormed());
  // Parts of a word that is too long stay parts of the same word: known words beside it are found as ever.
  const [first, last] = [tokenizer.encode('the'), tokenizer.encode('tree')];
  assert.deepEqual(tokenizer.encode(text).slice(0, first.length), first);
  assert.deepEqual(tokenizer.encode(text).slice(-last.length), last);
});

test('POST /summarize, /context_predict and /translate answer hostile texts, and the server goes on', async () => {
  writeModel('opus-mt-en-fr', folder);
  const model = `[[ai.models]]\nid = "en-fr"\ntask = "translation"\nfolder = "${folder}/opus-mt-en-fr"\nlanguages = ["en-fr"]\n`;
  const server = await startServer({ config: `[ai]\ntime_limit_seconds = 300\n${model}` });
  try {
    const cookie = await signInAdmin(server);
    const post = async (path: string, fields: Record<string, string>) => server.ask('POST', path, { cookie, ...(await form(fields)) });
    for (const [what, text] of Object.entries(TEXTS)) {
      const doc = text.slice(0, LENGTH / 5).toWellFormed();
      assert.equal((await post('/summarize', { doc })).status, 200, what);
      assert.equal((await post('/context_predict', { context: doc, query: doc })).status, 200, what);
    }
    for (const doc of [repeated('a', 20_000), repeated('\ud83d\u0000', 2_000).toWellFormed(), repeated('\n \n', 20_000), 'e\u0301'.repeat(500)]) {
      const { status, body } = await post('/translate', { doc, src_lang: 'en', tgt_lang: 'fr' });
      // A model need not find an end for what is no text; then it says so.
      assert.ok(status === 200 || body.code === 'MODEL_FAILED', JSON.stringify(body).slice(0, 200));
    }
    const { body } = await post('/translate', { doc: 'hello world', src_lang: 'en', tgt_lang: 'fr' });
    assert.equal(body.translation, 'bonjour le monde');
  } finally {
    await server.end();
  }
});

test.run();
