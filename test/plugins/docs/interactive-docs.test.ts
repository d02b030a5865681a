// The interactive page in Chromium: signing in to it, finding and trying operations, what it makes of hostile words, and signing out.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Locator, Page } from 'playwright-core';
import Type from 'typebox';
import { test } from 'uvu';
import { definePlugin } from '../../../kernel/plugin.ts';
import { BUILT_IN } from '../../../plugins/index.ts';
import { openBrowser, openPage } from '../../browser.ts';
import { signInAdmin, startServer, type TestServer } from '../../server.ts';
import { skipWithout } from '../../system.ts';

// covers: GET /interactive-docs

const PASSWORD = 'password of the admin';
const MARKUP = '<img src=x onerror="document.title=1"><b>bold</b>';
const HTML = { type: 'text/html; charset=utf-8' };

/** Words and answers that a page could mistake for markup, bodies of every kind, and a page of this server that frames the interactive one. */
const hostile = definePlugin({
  name: 'hostile',
  config: Type.Object({}, { default: {} }),
  tags: { [MARKUP]: MARKUP },
  routes: () => [
    {
      ...{ method: 'POST', path: '/hostile/{where}', auth: ['cookie'], tag: MARKUP, summary: MARKUP, rawBody: true },
      query: Type.Object({ deep: Type.Optional(Type.Boolean({ description: MARKUP })) }),
      body: Type.Object({ tag: Type.String({ description: MARKUP, default: MARKUP }) }),
      bodyTypes: ['application/json', 'text/xml', 'application/octet-stream'],
      bodyExamples: { first: { tag: MARKUP }, second: { tag: 'b' }, xml: '<Query/>' },
      responses: { 200: { description: MARKUP, schema: Type.Object({}) } },
      handle: ({ params, query, headers, body }) => ({
        status: 200,
        body: { params, query, type: headers['content-type'], token: headers['x-y'], sent: Buffer.from((body as Uint8Array) ?? []).toString('latin1'), MARKUP },
        headers: { 'x-hostile': MARKUP },
      }),
    },
    {
      ...{ method: 'GET', path: '/frame', auth: 'none', summary: 'frames the page', tag: 'frames' },
      handle: () => ({ status: 200, body: '<!doctype html><link rel="icon" href="data:,"><iframe src="/interactive-docs"></iframe>', ...HTML }),
    },
  ],
});

let server: TestServer;
let browser: Browser;

async function signInTo(address: string, options: Parameters<typeof openPage>[2] = {}) {
  const opened = await openPage(browser, server.address, options);
  const { page } = opened;
  await page.goto(`${server.address}${address}`);
  await page.getByLabel('Realm').fill('_');
  await page.getByLabel('User').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#groups:not([aria-busy])').waitFor();
  return opened;
}

const operation = (page: Page, id: string) => page.locator(`[id="${id}"]`);

async function open(page: Page, id: string): Promise<Locator> {
  const found = operation(page, id);
  await found.locator('> summary').click();
  await found.getByRole('button', { name: 'Send' }).waitFor();
  return found;
}

async function send(form: Locator): Promise<string> {
  await form.getByRole('button', { name: 'Send' }).click();
  const status = form.locator('.status').filter({ hasText: /^(?!Sending)./ });
  await status.waitFor();
  return status.innerText();
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    server = await startServer({ plugins: [...BUILT_IN, hostile] as never });
    await signInAdmin(server, PASSWORD);
    browser = await openBrowser();
  });
  test.after(async () => {
    await browser?.close();
    await server?.end();
  });

  test('signing in leads back to the requested operation; requests run with the session, without errors', async () => {
    const { page, complaints, strayed } = await signInTo('/interactive-docs#Sign-in/getWhoami');
    assert.equal(page.url(), `${server.address}/interactive-docs#Sign-in/getWhoami`);
    assert.equal(await page.locator('#who').innerText(), 'admin in realm _');
    const whoami = operation(page, 'Sign-in/getWhoami');
    assert.match(await send(whoami), /^200 OK in \d+ ms, \d+ bytes$/);
    assert.equal(JSON.parse(await whoami.locator('.answer-body').innerText()).sub, 'admin');
    const hash = await open(page, 'Anonymization/postTokenizeHash');
    assert.equal(page.url(), `${server.address}/interactive-docs#Anonymization/postTokenizeHash`);
    assert.match(await send(hash), /^200 OK/);
    assert.match(JSON.parse(await hash.locator('.answer-body').innerText()).result, /^[\w+/]{43}=$/);
    assert.deepEqual([complaints, strayed], [[], []]);
    await page.context().close();
  });

  test('the groups of the document are listed, and the search leaves what holds its words', async () => {
    const { page } = await signInTo('/interactive-docs');
    const names = await page.locator('.group h2').allInnerTexts();
    for (const name of ['KMIP', 'REST Crypto API', 'Server', 'Access control', 'HSM', 'Download', 'Sign-in', 'Anonymization', 'Documentation'])
      assert.ok(names.includes(name), name);
    const all = Number.parseInt(await page.locator('#found').innerText(), 10);
    assert.equal(await page.locator('.operation').count(), all);
    await page.getByLabel('Find an operation').fill('AGGREGATE  date');
    assert.equal(await page.locator('#found').innerText(), '1 operation');
    assert.deepEqual(await page.locator('.operation:visible .path').allInnerTexts(), ['/tokenize/aggregate-date']);
    assert.equal(await page.locator('.group:visible').count(), 1);
    await page.getByLabel('Find an operation').fill('');
    assert.equal(await page.locator('.operation:visible').count(), all);
    await page.context().close();
  });

  test('KMIP from the page: the example of the document creates a key that encrypts, in both versions', async () => {
    const { page, complaints } = await signInTo('/interactive-docs');
    for (const version of ['21', '14']) {
      const kmip = await open(page, `KMIP/postKmip${version}`);
      const answer = async (name: string) => {
        assert.match(await send(kmip), /^200 OK/);
        const { tag, value } = JSON.parse(await kmip.locator('.answer-body').innerText());
        assert.equal(tag, `${name}Response`);
        return (member: string) => value.find((node: { tag: string }) => node.tag === member)?.value;
      };
      await kmip.getByLabel('Example').selectOption('Create an AES key');
      const id = (await answer('Create'))('UniqueIdentifier');
      await kmip.getByLabel('Example').selectOption('Encrypt with it');
      const body = kmip.getByLabel('Body', { exact: true });
      await body.fill((await body.inputValue()).replace('the identifier in the answer to Create', id));
      assert.match((await answer('Encrypt'))('Data'), /^[0-9A-F]{10}$/);
    }
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('words of the document and of answers are text, not markup', async () => {
    const { page, complaints } = await signInTo('/interactive-docs');
    const form = await open(page, `${MARKUP.replaceAll('"', '\\"')}/postHostileWhere`);
    await form.getByLabel('where (path, required)').fill('a/b');
    assert.match(await send(form), /^200/);
    await form.getByText('Response headers').click();
    const shown = await form.innerText();
    assert.ok(shown.split(MARKUP).length > 4, shown);
    assert.ok(shown.includes(`x-hostile: ${MARKUP}`), shown);
    assert.equal(await page.locator('#groups img, #groups b').count(), 0);
    assert.equal(await page.title(), 'Interface \u00b7 gatehouse');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('bodies of every content type, parameters and headers are sent as entered, and copied as curl', async () => {
    const { page } = await signInTo('/interactive-docs');
    const form = await open(page, `${MARKUP.replaceAll('"', '\\"')}/postHostileWhere`);
    const answer = async () => {
      assert.match(await send(form), /^200/);
      return JSON.parse(await form.locator('.answer-body').innerText());
    };
    await form.getByLabel('where (path, required)').fill('a/b');
    await form.getByLabel('deep (query)').selectOption('true');
    await form.getByLabel('Example').selectOption('second');
    await form.getByText('Headers', { exact: true }).click();
    await form.getByLabel('More headers').fill('x-y: z');
    const json = await answer();
    assert.deepEqual([json.params, json.query, json.type, json.token], [{ where: 'a/b' }, { deep: true }, 'application/json', 'z']);
    assert.deepEqual(JSON.parse(json.sent), { tag: 'b' });
    await form.getByLabel('Content type').selectOption('text/xml');
    const xml = await answer();
    assert.deepEqual([xml.type, xml.sent], ['text/xml', '<Query/>']);
    await form.getByLabel('Content type').selectOption('application/octet-stream');
    await form.getByLabel('Body, in hexadecimal digits').fill('42 00 7a');
    const bytes = await answer();
    assert.deepEqual([bytes.type, bytes.sent], ['application/octet-stream', 'B\0z']);
    await form.getByLabel('Body, in hexadecimal digits').fill('4');
    assert.match(await send(form), /pairs of hexadecimal digits/);
    await form.getByLabel('Content type').selectOption('text/xml');
    await form.getByRole('button', { name: 'Copy as curl' }).click();
    const expected = `curl -b jar -X POST -H 'x-y: z' -H 'Content-Type: text/xml' --data-raw '<Query/>' '${server.address}/hostile/a%2Fb?deep=true'`;
    assert.equal(await form.locator('.curl').innerText(), expected);
    await page.context().close();
  });

  test('everything is reached by the keyboard, and fits a phone in the dark', async () => {
    const { page } = await signInTo('/interactive-docs#HSM/getHsmStatus', { width: 320, height: 560, dark: true });
    const status = operation(page, 'HSM/getHsmStatus');
    await status.getByRole('button', { name: 'Send' }).waitFor();
    assert.ok(await page.evaluate(`document.activeElement.closest('.operation')?.id === 'HSM/getHsmStatus'`), 'the focus is on what the address names');
    for (let step = 0; step < 5 && (await page.evaluate('document.activeElement.textContent')) !== 'Send'; step++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await status.locator('.answer-body').waitFor();
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out sideways');
    const unnamed = await page.evaluate(
      `[...document.querySelectorAll('input, select, textarea')].filter((field) => field.labels.length === 0).map((field) => field.outerHTML)`,
    );
    assert.deepEqual(unnamed, []);
    await page.context().close();
  });

  test('it cannot be framed, by another origin or by its own', async () => {
    const foreign = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(`<link rel="icon" href="data:,"><iframe src="${server.address}/interactive-docs"></iframe>`);
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    for (const from of [`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`, `${server.address}/frame`]) {
      const { page, complaints } = await signInTo('/interactive-docs');
      await page.goto(from);
      assert.equal(await page.frameLocator('iframe').locator('#search, #realm').count(), 0, from);
      assert.ok(
        complaints.some((complaint) => /frame-ancestors 'none'/.test(complaint)),
        `${from}: ${complaints.join('\n')}`,
      );
      await page.context().close();
    }
    await new Promise((resolve) => foreign.close(resolve));
  });

  test('signing out and a lost session both lead to the sign-in, which leads back', async () => {
    const { page } = await signInTo('/interactive-docs');
    const [cookie] = await page.context().cookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${server.address}/sign-in?next=%2Finteractive-docs`);
    assert.deepEqual(await page.context().cookies(), []);
    assert.equal((await server.ask('GET', '/whoami', { cookie: cookie?.value })).status, 401);
    await page.goto(`${server.address}/interactive-docs`);
    assert.equal(page.url(), `${server.address}/sign-in?next=%2Finteractive-docs`);
    await page.context().close();
  });
}

test.run();
