// The page of the AI runner in Chromium: documents with drag and drop, answers while they are written with their sources, summaries, translations, models.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import { openBrowser, openPage } from '../browser.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openai-server.ts';
import { writeModel } from '../models/build.ts';
import { docx, epub } from '../plugins/ai/files.ts';
import { HARBOUR } from '../plugins/ai/harbour.ts';
import { signInAdmin, startServer, type TestServer, temporaryFolder } from '../server.ts';
import { skipWithout } from '../system.ts';

const KEY = 'key-of-the-page';
let server: TestServer;
let browser: Browser;
let elsewhere: OpenAiServer;
let cookie: string;
const folder = temporaryFolder();

async function open(options: Parameters<typeof openPage>[2] = {}) {
  const opened = await openPage(browser, server.address, options);
  const url = new URL(server.address);
  await opened.page.context().addCookies([{ name: '_ea_', value: cookie, domain: url.hostname, path: '/', secure: true, httpOnly: true, sameSite: 'Strict' }]);
  await opened.page.goto(`${server.address}/ai`);
  await opened.page.locator('#base option').first().waitFor({ state: 'attached' });
  return opened;
}

/** As somebody drags a file onto the page. */
async function dropFile(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const script = `([name, bytes]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], name));
    return transfer;
  }`;
  const dataTransfer = await page.evaluateHandle(`(${script})(${JSON.stringify([name, [...bytes]])})`);
  await page.dispatchEvent('#drop', 'drop', { dataTransfer });
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    elsewhere = await startOpenAiServer(KEY);
    writeModel('opus-mt-en-fr', folder);
    const local = `[[ai.models]]\nid = "en-fr"\ntask = "translation"\nlanguages = ["en-fr"]\nfolder = "${join(folder, 'opus-mt-en-fr')}"\n`;
    const remote = `[[ai.models]]\nid = "replies"\ntask = "answer"\nengine = "http"\nurl = "${elsewhere.url}"\nmodel = "small-instruct"\napi_key = "${KEY}"\n`;
    server = await startServer({ config: `${local}${remote}` });
    cookie = await signInAdmin(server);
    browser = await openBrowser();
  });
  test.after(async () => {
    await browser?.close();
    await server?.end();
    await elsewhere?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  test('without a session it leads to the sign-in page and back', async () => {
    const { page } = await openPage(browser, server.address);
    await page.goto(`${server.address}/ai`);
    assert.deepEqual([new URL(page.url()).pathname, new URL(page.url()).searchParams.get('next')], ['/sign-in', '/ai']);
    await page.context().close();
  });

  test('documents are added by choice and by drop, asked with their sources, and deleted', async () => {
    const { page, complaints, strayed } = await open();
    const book = join(folder, 'harbour <b>.docx');
    writeFileSync(book, await docx(HARBOUR));
    await page.getByLabel('Drop epub, pdf or docx files here, or choose them').setInputFiles(book);
    await page.locator('#uploads .done').waitFor();
    await dropFile(page, 'dropped 2.0', await epub(['# Bells', 'The bell of the dropped book has a crack.']));
    await page.locator('#uploads .done').nth(1).waitFor();
    await dropFile(page, 'no-book.pdf', Buffer.from('not a pdf'));
    await page.locator('#uploads .failed').waitFor();
    assert.match((await page.textContent('#uploads .failed')) ?? '', /no-book\.pdf.*(pdf|file)/);
    await page.locator('#references li').nth(1).waitFor();
    assert.deepEqual(await page.locator('#references li').allTextContents(), ['dropped 2.0Delete', 'harbour <b>Delete']);

    // The answer is seen while it is written.
    let go = () => {};
    elsewhere.misbehave = (_, response) => {
      const chunk = (content: string, finish: string | null) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
      response.writeHead(200).write(chunk('Elias', null));
      go = () => void response.end(chunk(' <i>Brandt</i>', 'stop'));
      return true;
    };
    await page.getByLabel('Question').fill('Who is the watchman?');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Elias', { exact: true }).waitFor();
    assert.equal(await page.locator('#sources').isVisible(), false);
    go();
    // What a model writes never becomes markup.
    await page.getByText('Elias <i>Brandt</i>', { exact: true }).waitFor();
    const source = page.locator('#sources details').first();
    assert.match((await source.locator('summary').textContent()) ?? '', /^harbour <b> · The Watchman$/);
    assert.equal(await source.locator('blockquote').isVisible(), false);
    await source.locator('summary').click();
    assert.match((await source.locator('blockquote').textContent()) ?? '', /Elias Brandt/);
    elsewhere.misbehave = undefined;

    await page.getByRole('button', { name: 'Delete dropped' }).click();
    await page.locator('#references li').nth(1).waitFor({ state: 'detached' });
    assert.deepEqual((await server.ask('GET', '/documentary_bases', { cookie })).body.documentary_bases.documents, ['harbour <b>']);
    assert.deepEqual([complaints.filter((text) => !text.includes('400')), strayed], [[], []]);
    await page.context().close();
  });

  test('it summarises, translates, shows the models, and tells in words what is wrong', async () => {
    const { page } = await open();
    await page.getByLabel('Text', { exact: true }).fill('One sentence only.');
    await page.getByRole('button', { name: 'Summarise' }).click();
    await page.locator('#summary').getByText('One sentence only.').waitFor();
    await page.getByLabel('Text to translate').fill('The black cat sleeps.\n\nHello world.');
    await page.getByRole('button', { name: 'Translate' }).click();
    await page.locator('#translation').getByText('bonjour le monde.').waitFor();
    assert.equal(((await page.textContent('#translation')) ?? '').replaceAll('\r', ''), 'le chat noir dort.\n\nbonjour le monde.');
    await page.getByLabel('To', { exact: true }).fill('de');
    await page.getByRole('button', { name: 'Translate' }).click();
    await page.getByRole('alert').getByText('no model that translates from en to de is installed').waitFor();
    assert.equal(await page.locator('#translation').isVisible(), false);
    await page.reload();
    await page.getByText('en-fr: translation en-fr, ready').waitFor();
    await page.getByText('replies: answer, on a server elsewhere').waitFor();
    await page.context().close();
  });

  test('texts stand on the side on which they begin, whatever their language', async () => {
    const { page } = await open();
    await page.getByLabel('Text', { exact: true }).fill('השומר מדליק את המנורה.');
    await page.getByRole('button', { name: 'Summarise' }).click();
    await page.locator('#summary').getByText('השומר מדליק את המנורה.').waitFor();
    const sides = await page.evaluate(`['query', 'long', 'summary'].map((id) => getComputedStyle(document.getElementById(id)).direction)`);
    assert.deepEqual(sides, ['ltr', 'rtl', 'rtl']);
    await page.context().close();
  });

  test('a button whose request does not arrive says so', async () => {
    const { page } = await open();
    await dropFile(page, 'kept.epub', await epub(['# Kept', 'Nobody deletes this book.']));
    await page.locator('#uploads .done').waitFor();
    const press = page.getByRole('button', { name: 'Delete kept' });
    await press.waitFor();
    await page.route('**/*', (route) => route.abort());
    await press.click();
    await page.getByText('The server cannot be reached.').waitFor();
    await page.context().close();
  });

  test('nothing sticks out sideways on a phone, in the dark too', async () => {
    const { page, complaints } = await open({ width: 320, height: 560, dark: true });
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

test.run();
