// Texts over HTTPS, without a model: summaries and answers are chosen sentences, and translations say what is missing.
import assert from 'node:assert/strict';
import { test } from 'uvu';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { form } from './files.ts';
import { HARBOUR, QUESTIONS } from './harbour.ts';

const TEXT = HARBOUR.filter((paragraph) => !paragraph.startsWith('#')).join('\n\n');

let server: TestServer;
let cookie: string;
test.before(async () => {
  server = await startServer({ config: '[ai]\ntext_limit = 20000\n' });
  cookie = await signInAdmin(server);
});
test.after(() => server?.end());

const post = async (path: string, ...given: Parameters<typeof form>) => server.ask('POST', path, { cookie, ...(await form(...given)) });

test('POST /summarize: some sentences of the text, in their order, shorter than the text', async () => {
  const long = Array.from({ length: 6 }, (_, part) => TEXT.replaceAll('mole', `mole ${part}`)).join('\n\n');
  const { status, body, headers } = await post('/summarize', { doc: long });
  assert.deepEqual([status, Object.keys(body), headers['x-ai-engine']], [200, ['summary'], 'extractive']);
  const words = body.summary.split(' ').length;
  assert.ok(words > 20 && words < long.split(' ').length / 3, `${words} words`);
  const sentences = body.summary.match(/[^.]+\./g) as string[];
  const places = sentences.map((sentence) => long.indexOf(sentence.trim()));
  assert.ok(
    places.every((place, index) => place >= 0 && (index === 0 || place > (places[index - 1] as number))),
    body.summary,
  );
  assert.deepEqual((await post('/summarize', { doc: '' })).body, { summary: '' });
  assert.deepEqual((await post('/summarize', { doc: 'One sentence only.' })).body, { summary: 'One sentence only.' });
});

test('POST /context_predict: the sentence that answers, the best first; none if no word is there', async () => {
  for (const [query, answer] of QUESTIONS) {
    const { status, body } = await post('/context_predict', { context: TEXT, query });
    assert.deepEqual([status, Object.keys(body)], [200, ['result']]);
    assert.match(body.result[0], answer, query);
  }
  assert.deepEqual((await post('/context_predict', { context: TEXT, query: 'Is there a zebra?' })).body, { result: [] });
});

test('POST /translate: without a model 503 names the pair, the same language is the text itself', async () => {
  const missing = await post('/translate', { doc: 'hello', src_lang: 'en', tgt_lang: 'FR' });
  assert.deepEqual([missing.status, missing.body.code], [503, 'MODEL_NOT_INSTALLED']);
  assert.match(missing.body.message, /from en to fr/);
  assert.deepEqual((await post('/translate', { doc: 'hello', src_lang: 'en-GB', tgt_lang: 'EN' })).body, { translation: 'hello' });
  for (const code of ['EN', 'en-Latn-US', 'en_Latn_US', 'en-GB-oxendict', 'en-a-bbb-x-a-ccc'])
    assert.deepEqual((await post('/translate', { doc: 'hello', src_lang: code, tgt_lang: 'en' })).body, { translation: 'hello' }, code);
  for (const [old, present] of ['iw-he', 'in-id', 'ji-yi', 'jw-jv', 'mo-ro'].map((pair) => pair.split('-')))
    assert.deepEqual((await post('/translate', { doc: 'hello', src_lang: `${old}_XX`, tgt_lang: present as string })).body, { translation: 'hello' }, old);
  for (const code of ['en-', 'en--US', 'en-toolonglong', `en${'-US'.repeat(12)}`, 'english', 'zz', 'e', '', '../x']) {
    const { status, body } = await post('/translate', { doc: 'hello', src_lang: code, tgt_lang: 'fr' });
    assert.deepEqual([status, /^src_lang: must be a language code/.test(body.message)], [400, true], code);
  }
});

test('a text may come as a file, and too long a one is 413', async () => {
  const data = new FormData();
  data.append('doc', new Blob(['A text from a file.']), 'text.txt');
  const encoded = new Response(data);
  const headers = { 'content-type': encoded.headers.get('content-type') as string };
  const { body } = await server.ask('POST', '/summarize', { cookie, headers, body: new Uint8Array(await encoded.arrayBuffer()) });
  assert.deepEqual(body, { summary: 'A text from a file.' });
  const long = await post('/summarize', { doc: 'a '.repeat(10_001) });
  assert.deepEqual([long.status, long.body.message], [413, 'doc: a field of this form has at most 20000 bytes']);
  assert.equal((await post('/summarize', { doc: 'a '.repeat(100_000) })).status, 413);
});

test('the limit is that of the texts, in every kind of form, however many bytes their escapes take', async () => {
  const encoded = (text: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return server.ask('POST', '/context_predict', { cookie, headers, body: new URLSearchParams({ context: text, query: text }).toString() });
  };
  const inParts = (text: string) => post('/context_predict', { context: text, query: text });
  for (const ask of [encoded, inParts])
    for (const unit of ['ж', 'ab']) {
      assert.equal((await ask(unit.repeat(10_000))).status, 200, unit);
      const long = await ask(`${unit.repeat(10_000)}.`);
      assert.deepEqual([long.status, long.body.message], [413, 'context: a field of this form has at most 20000 bytes']);
    }
});

test('a body that is no form is refused with what is wrong', async () => {
  const ask = (type: string, body: string) => server.ask('POST', '/summarize', { cookie, headers: { 'content-type': type }, body });
  const cases: [string, string, RegExp][] = [
    ['application/json', '{"doc":"a"}', /content type must be multipart/],
    ['', '{"doc":"a"}', /content type must be multipart/],
    ['multipart', '{"doc":"a"}', /content type must be multipart/],
    ['multipart/form-data', 'a', /must have a boundary/],
    ['multipart/form-data; boundary=x', 'a', /malformed|missing form field/],
    ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="doc"\r\n\r\nunfinished', /malformed/],
    ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="doc"; filename="a.txt"\r\n\r\nunfinished', /malformed/],
    ['application/x-www-form-urlencoded', 'doc=a&doc=b', /doc: the form has this field twice/],
    ['application/x-www-form-urlencoded', '', /missing form field: doc/],
  ];
  for (const [type, body, message] of cases) {
    const answer = await ask(type, body);
    assert.equal(answer.status, 400, `${type} ${body} ${answer.text}`);
    assert.match(answer.body.message, message);
  }
});

test('a part without a name, and a file that is no file, are refused, and nobody else is disturbed', async () => {
  const multipart = (...parts: string[]) => {
    const body = [...parts.map((each) => `--x\r\ncontent-disposition: form-data${each}`), '--x--\r\n'].join('\r\n');
    return { cookie, headers: { 'content-type': 'multipart/form-data; boundary=x' }, body };
  };
  const cases: [string, string, RegExp][] = [
    ['/summarize', '\r\n\r\na', /a part of the form has no name/],
    ['/summarize', '; filename="a.txt"\r\n\r\na', /a part of the form has no name/],
    ['/add_reference', '; filename="a.pdf"\r\n\r\na', /a part of the form has no name/],
    ['/add_reference', '; name="file"\r\n\r\n%PDF', /file: must be sent as a file, with a filename/],
  ];
  const others = Array.from({ length: 8 }, () => post('/summarize', { doc: 'One sentence only.' }));
  for (const [path, part, message] of cases) {
    const { status, body } = await server.ask('POST', path, multipart(part));
    assert.deepEqual([status, message.test(body.message)], [400, true], `${part} ${body.message}`);
  }
  for (const { status } of await Promise.all(others)) assert.equal(status, 200);
});

test('a file of text in UTF-16 is read by its mark, and one that is no text is refused, not mangled', async () => {
  const ask = async (bytes: Uint8Array) => {
    const head = '--x\r\ncontent-disposition: form-data; name="doc"; filename="a.txt"\r\n\r\n';
    const body = new Uint8Array(Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--x--\r\n')]));
    return server.ask('POST', '/summarize', { cookie, headers: { 'content-type': 'multipart/form-data; boundary=x' }, body });
  };
  const little = Buffer.from('\ufeffÉlias.', 'utf16le');
  const big = Buffer.from(little).swap16();
  for (const bytes of [Buffer.from('\ufeffÉlias.'), little, big]) assert.deepEqual((await ask(bytes)).body, { summary: 'Élias.' });
  for (const bytes of [Buffer.from('Élias.', 'latin1'), little.subarray(0, -1), Buffer.of(0xfe, 0xff, 0xd8, 0)]) {
    const { status, body } = await ask(bytes);
    assert.deepEqual([status, body.message], [400, 'doc: the file is not text in UTF-8, or in UTF-16 with a byte order mark']);
  }
});

const send = (body: string, type: string) =>
  server.ask('POST', '/summarize', { cookie, headers: { 'content-type': type }, body: new Uint8Array(Buffer.from(body, 'latin1')) });
const inParts = (bytes: string, header = '', more = '') =>
  send(`--x\r\ncontent-disposition: form-data; name="doc"\r\n${header}\r\n${bytes}\r\n${more}--x--\r\n`, 'multipart/form-data; boundary=x');
const encoded = (text: string, charset = '') => send(text, `application/x-www-form-urlencoded${charset}`);
const part = (charset: string) => `content-type: text/plain; charset=${charset}\r\n`;

test('a field that is not in its charset is refused, not mangled; another charset that is named is read', async () => {
  const named = [inParts('caf\xe9', part('UTF-8')), encoded('doc=caf%E9', '; charset=UTF-8')];
  for (const asked of [inParts('caf\xe9 \xef\xbf\xbd'), encoded('doc=caf%E9'), encoded('doc=caf\xe9'), encoded('doc=%ED%A0%80'), ...named]) {
    const { status, body } = await asked;
    assert.deepEqual([status, body.message], [400, 'doc: the text is not UTF-8']);
  }
  assert.deepEqual((await inParts('a \xef\xbf\xbd \xc3\xa9')).body, { summary: 'a \ufffd é' });
  assert.deepEqual((await encoded('doc=a+%EF%BF%BD+%C3%A9')).body, { summary: 'a \ufffd é' });
  assert.deepEqual((await encoded('doc=100%+caf%c3%A9%2&')).body, { summary: '100% café%2' });
  for (const charset of ['iso-8859-1', 'windows-1252']) assert.deepEqual((await inParts('caf\xe9', part(charset))).body, { summary: 'café' });
  assert.deepEqual((await inParts('a \xc2\x85 b')).body, { summary: 'a \u0085 b' });
  assert.deepEqual((await encoded('doc=%CF%F0%E8', '; charset=windows-1251')).body, { summary: 'При' });
});

test('parts of a form are read in the charsets that they name, or that the form names for all', async () => {
  const cases: [string, string, string][] = [
    ['\x93caf\xe9\x94 \x80', 'cp1252', '“café” €'],
    ['\xcf\xf0\xe8', '"windows-1251"', 'При'],
    ['\x1b$B$"$$\x1b(B', 'ISO-2022-JP', 'あい'],
    ['\0H\0i', 'utf-16be', 'Hi'],
    ['\xfe\xff\0H\0i', 'UTF-16', 'Hi'],
  ];
  for (const [bytes, charset, summary] of cases) assert.deepEqual((await inParts(bytes, part(charset))).body, { summary }, charset);
  const file = 'content-type: text/plain; charset=windows-1251\r\ncontent-disposition: form-data; name="doc"; filename="a.txt"\r\n';
  assert.deepEqual((await send(`--x\r\n${file}\r\n\xcf\xf0\xe8\r\n--x--`, 'multipart/form-data; boundary=x')).body, { summary: 'При' });
  const all = (charset: string) => `--x\r\ncontent-disposition: form-data; name="_charset_"\r\n\r\n${charset}\r\n`;
  assert.deepEqual((await inParts('\xcf\xf0\xe8', '', all('windows-1251'))).body, { summary: 'При' });
  assert.deepEqual((await inParts('caf\xe9', part('latin1'), all('utf-8'))).body, { summary: 'café' });
  assert.deepEqual((await encoded('_charset_=windows-1251&doc=%CF%F0%E8')).body, { summary: 'При' });
  assert.deepEqual((await encoded('_charset_=&doc=%C3%A9')).body, { summary: 'é' });
});

test('what cannot be read of a form is refused: charsets, transfer encodings, parts of no form', async () => {
  const other = '--x\r\ncontent-type: text/plain\r\n\r\nb\r\n';
  const cases = [
    [encoded('doc=a', '; charset=klingon'), /the charset klingon of the form is unknown/],
    [inParts('a', part('klingon')), /the charset klingon of the form is unknown/],
    [inParts('a', part('base64')), /the charset base64 of the form is unknown/],
    [inParts('H\0\0\xd8', part('utf-16le')), /doc: the text is not UTF-16LE/],
    [inParts('YQ==', 'content-transfer-encoding: base64\r\n'), /doc: the transfer encoding base64 is not read in a form/],
    [inParts('a', '', other), /a part of the form has no name/],
    [inParts('a', '', other.replace('type: text/plain', 'disposition: attachment; name="doc"')), /a part of the form has no name/],
  ] as const;
  for (const [asked, message] of cases) {
    const { status, body } = await asked;
    assert.deepEqual([status, message.test(body.message)], [400, true], `${message} ${body.message}`);
  }
  assert.deepEqual((await inParts('a', 'content-transfer-encoding: 8BIT\r\n')).body, { summary: 'a' });
});

test.run();
