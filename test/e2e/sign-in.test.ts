// The sign-in page in Chromium: the first login with its forced change, refusals in words, where it leads, and what it must not do.
import assert from 'node:assert/strict';
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import Type from 'typebox';
import { test } from 'uvu';
import { definePlugin } from '../../kernel/plugin.ts';
import { BUILT_IN } from '../../plugins/index.ts';
import { openBrowser, openPage } from '../browser.ts';
import { makeCertificate, SERVER_AUTH } from '../certificates.ts';
import { people } from '../people.ts';
import { until } from '../runtime.ts';
import { startServer, type TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';

const PASSWORD = 'p\u00e4sswort \u{1f511} of the admin';

const pages = definePlugin({
  name: 'pages',
  config: Type.Object({}, { default: {} }),
  routes: () => [
    {
      method: 'GET',
      path: '/pages/{name}',
      auth: ['cookie'],
      page: true,
      handle: ({ params, caller }) => ({
        status: 200,
        body: `<!doctype html><link rel="icon" href="data:,"><p>${params['name']} for ${caller?.username}`,
        type: 'text/html; charset=utf-8',
      }),
    },
  ],
});

let server: TestServer;
let browser: Browser;

async function fill(page: Page, password: string, user = 'admin', realm = '_'): Promise<void> {
  await page.getByLabel('Realm').fill(realm);
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signInWith(next: string) {
  const opened = await openPage(browser, server.address);
  await opened.page.goto(`${server.address}/sign-in?next=${encodeURIComponent(next)}`);
  await fill(opened.page, PASSWORD);
  return opened;
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    server = await startServer({ plugins: [...BUILT_IN, pages] as never });
    browser = await openBrowser();
  });
  test.after(async () => {
    await browser?.close();
    await server?.end();
  });

  test('a page without a session redirects to /sign-in; the forced password change leads back to it', async () => {
    const { page, complaints, strayed } = await openPage(browser, server.address);
    await page.goto(`${server.address}/pages/books?shelf=1&x=%26`);
    assert.equal(new URL(page.url()).pathname, '/sign-in');
    assert.equal(await page.locator(':focus').getAttribute('id'), 'realm');
    await fill(page, server.initialPassword);
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    assert.equal(await page.locator(':focus').getAttribute('id'), 'new-password');
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Repeat the new password').fill('something else');
    await page.keyboard.press('Enter');
    assert.match(await page.getByRole('alert').innerText(), /two new passwords differ/);
    await page.getByLabel('Repeat the new password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('books for admin').waitFor();
    assert.equal(page.url(), `${server.address}/pages/books?shelf=1&x=%26`);
    assert.deepEqual([complaints, strayed], [[], []]);
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite })),
      [{ name: '_ea_', httpOnly: true, secure: true, sameSite: 'Strict' }],
    );
    await page.context().close();
  });

  test('without a next page it says who is signed in, on a phone and in the dark too', async () => {
    const { page, complaints } = await openPage(browser, server.address, { width: 320, height: 560, dark: true });
    await page.goto(`${server.address}/sign-in?realm=_`);
    assert.equal(await page.locator(':focus').getAttribute('id'), 'username');
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out sideways');
    await fill(page, PASSWORD);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.match((await page.textContent('#done')) ?? '', /As admin in realm _\./);
    assert.equal(page.url(), `${server.address}/sign-in?realm=_`);
    assert.equal(
      await page.evaluate('[...document.querySelectorAll("[type=password], #totp")].map(({ value }) => value).join("")'),
      '',
      'no password stays in it',
    );
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('who is signed in is told so on a later visit, can go on, and can sign out', async () => {
    const { page, complaints, strayed } = await openPage(browser, server.address);
    await page.goto(`${server.address}/sign-in`);
    await fill(page, PASSWORD);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Continue' }).isVisible(), false);
    await page.goto(`${server.address}/sign-in?next=${encodeURIComponent('/pages/books')}`);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.match((await page.textContent('#done')) ?? '', /As admin in realm _\./);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByText('books for admin').waitFor();
    await page.goBack();
    const [cookie] = await page.context().cookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    assert.equal(await page.locator(':focus').getAttribute('id'), 'realm');
    assert.deepEqual(await page.context().cookies(), []);
    assert.equal((await server.ask('GET', '/whoami', { cookie: cookie?.value })).status, 401);
    await page.goto(`${server.address}/pages/books`);
    assert.equal(new URL(page.url()).pathname, '/sign-in');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual([complaints, strayed], [[], []]);
    await page.context().close();
  });

  test('who follows a link on another server of the same site finds the way to the page', async () => {
    const { cert, key } = await makeCertificate('CN=wiki', { usage: SERVER_AUTH, names: ['127.0.0.1'] });
    const wiki = createSecureServer({ cert, key }, (_request, response) => {
      response.setHeader('content-type', 'text/html').end(`<a href="${server.address}/pages/books">the books</a>`);
    });
    await new Promise<void>((resolve) => wiki.listen(0, '127.0.0.1', resolve));
    const { page } = await signInWith('/pages/first');
    await page.getByText('first for admin').waitFor();
    await page.goto(`https://127.0.0.1:${(wiki.address() as AddressInfo).port}/`);
    await page.getByRole('link', { name: 'the books' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByText('books for admin').waitFor();
    await page.context().close();
    await new Promise((resolve) => wiki.close(resolve));
  });

  test('with a foreign next page nothing is offered to go on to, also with a session', async () => {
    const { page } = await openPage(browser, server.address);
    await page.goto(`${server.address}/sign-in`);
    await fill(page, PASSWORD);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.goto(`${server.address}/sign-in?next=${encodeURIComponent('//evil.example/')}`);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Continue' }).isVisible(), false);
    await page.context().close();
  });

  test('a new password that the server refuses can be mended, and one can start over', async () => {
    const other = await startServer();
    const { page } = await openPage(browser, other.address);
    await page.goto(`${other.address}/sign-in`);
    await fill(page, other.initialPassword);
    for (const label of ['New password', 'Repeat the new password']) await page.getByLabel(label, { exact: true }).fill(other.initialPassword);
    await page.getByRole('button', { name: 'Change and sign in' }).click();
    await page.getByRole('alert').getByText('the new password cannot be used: it must differ from the old password').waitFor();
    await page.getByRole('button', { name: 'Start over' }).click();
    assert.deepEqual([await page.getByRole('alert').isVisible(), await page.locator(':focus').getAttribute('id')], [false, 'password']);
    assert.equal(await page.locator('#new-password').inputValue(), '');
    await fill(page, other.initialPassword);
    for (const label of ['New password', 'Repeat the new password']) await page.getByLabel(label, { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Change and sign in' }).click();
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await page.context().close();
    await other.end();
  });

  test('the answer to an attempt that was given up asks and tells nothing', async () => {
    const other = await startServer();
    const { page } = await openPage(browser, other.address);
    const held: (() => void)[] = [];
    await page.goto(`${other.address}/sign-in`);
    await fill(page, other.initialPassword);
    await page.getByLabel('New password', { exact: true }).waitFor();
    await page.route('**/login?**', async (route) => {
      await new Promise<void>((go) => held.push(go));
      await route.continue();
    });
    for (const label of ['New password', 'Repeat the new password']) await page.getByLabel(label, { exact: true }).fill(other.initialPassword);
    await page.getByRole('button', { name: 'Change and sign in' }).click();
    await until(() => held.length === 1, 'it is on its way');
    await page.getByRole('button', { name: 'Start over' }).click();
    const answered = page.waitForResponse('**/login?**');
    held[0]?.();
    assert.equal((await answered).status(), 400);
    await until(async () => (await page.locator('form[aria-busy]').count()) === 0, 'it is over');
    assert.equal(await page.getByRole('alert').isVisible(), false);
    assert.equal(await page.getByLabel('Password', { exact: true }).isVisible(), true);
    // The next one is answered as ever, here with the step that follows.
    await fill(page, other.initialPassword);
    await until(() => held.length === 2, 'the next is on its way');
    held[1]?.();
    await page.getByLabel('New password', { exact: true }).waitFor();
    assert.equal(await page.locator('#change-username').inputValue(), 'admin');
    await page.context().close();
    await other.end();
  });

  test('a server that is gone is told in words', async () => {
    const other = await startServer();
    const { page } = await openPage(browser, other.address);
    await page.goto(`${other.address}/sign-in`);
    await other.end();
    await fill(page, PASSWORD);
    await page.getByRole('alert').getByText('The page cannot reach the server').waitFor();
    assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), PASSWORD);
    await page.context().close();
  });

  test('a refusal is told in words, the password is forgotten, and the next try works', async () => {
    const { page } = await openPage(browser, server.address);
    await page.goto(`${server.address}/sign-in`);
    await fill(page, 'wrong password');
    await page.getByRole('alert').getByText('The realm, user or password is wrong').waitFor();
    assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '');
    assert.equal(await page.getByLabel('User').inputValue(), 'admin');
    await page.getByLabel('User').fill('ad:min');
    assert.equal(await page.locator('#username:invalid').count(), 1);
    await fill(page, PASSWORD);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.equal(await page.getByRole('alert').isVisible(), false);
    await page.context().close();
  });

  test('a user name is sent as it is; a space around it that was typed by mistake is told', async () => {
    const { cookie: root } = await server.ask('POST', '/login?realm=_', { user: `admin:${PASSWORD}` });
    const they = people(server, root as string);
    await they.realm('team');
    await they.user('team', ' ada ', PASSWORD);
    const { page } = await openPage(browser, server.address);
    await page.goto(`${server.address}/sign-in`);
    await fill(page, PASSWORD, 'admin ');
    await page.getByRole('alert').getByText('The user name that you sent begins or ends with a space.').waitFor();
    await fill(page, 'wrong password', 'admin');
    await page.getByText(/cannot sign in at the moment\.$/).waitFor();
    await fill(page, PASSWORD, ' ada ', 'team');
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    assert.equal((await server.ask('GET', '/whoami', { cookie: (await page.context().cookies())[0]?.value })).body.sub, ' ada ');
    await page.context().close();
  });

  for (const next of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example/',
    '/\t/evil.example/',
    ' //evil.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'pages/books',
    '',
  ]) {
    test(`next=${JSON.stringify(next)} is not followed`, async () => {
      const { page, strayed } = await signInWith(next);
      await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
      assert.equal(page.url(), `${server.address}/sign-in?next=${encodeURIComponent(next)}`);
      assert.deepEqual(strayed, []);
      await page.context().close();
    });
  }

  test('a path that only looks like another server stays here', async () => {
    const { page, strayed } = await signInWith('/.//evil.example/');
    await page.waitForURL((address) => address.pathname !== '/sign-in');
    assert.deepEqual([page.url(), strayed], [`${server.address}//evil.example/`, []]);
    await page.context().close();
  });

  test('it cannot be framed, by its own server or by another page', async () => {
    const foreign: HttpServer = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(`<iframe src="${server.address}/sign-in"></iframe>`);
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    const { page, complaints } = await openPage(browser, server.address);
    await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
    assert.equal(await page.frameLocator('iframe').locator('#realm').count(), 0);
    assert.ok(
      complaints.some((text) => /frame-ancestors 'none'/.test(text)),
      complaints.join('\n'),
    );
    await page.context().close();
    await new Promise((resolve) => foreign.close(resolve));
  });
}

test.run();
