// The frame of the console in Chromium: sign-in and sign-out over tabs, what is shown to whom, and the size of the first view.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { test } from 'uvu';
import { openBrowser, openPage } from '../browser.ts';
import { type People, people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { assertFit, giveCookie, goTo, openConsole } from './console.ts';

let server: TestServer;
let browser: Browser;
let root: string;
let some: People;

if (!skipWithout('chromium')) {
  test.before(async () => {
    server = await startServer();
    root = await signInAdmin(server);
    some = people(server, root);
    await some.realm('team');
    await some.user('team', 'ada', 'ada password');
    browser = await openBrowser();
  });
  test.after(async () => {
    await browser?.close();
    await server?.end();
  });

  test('without a session it leads to the sign-in page and back to the view', async () => {
    const { page, complaints, strayed } = await openPage(browser, server.address);
    await page.goto(`${server.address}/console#/keys`);
    assert.deepEqual([new URL(page.url()).pathname, new URL(page.url()).searchParams.get('next')], ['/sign-in', '/console']);
    await page.getByLabel('Realm').fill('team');
    await page.getByLabel('User').fill('ada');
    await page.getByLabel('Password', { exact: true }).fill('ada password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    assert.deepEqual([complaints, strayed], [[], []]);
    await page.context().close();
  });

  test('the first view is smaller than 150 kB, compressed, and nothing else is loaded for it', async () => {
    const { page } = await openPage(browser, server.address);
    await giveCookie(page, server.address, root);
    let bytes = 0;
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.loadingFinished', ({ encodedDataLength }: { encodedDataLength: number }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${server.address}/console`, { waitUntil: 'networkidle' });
    assert.ok(bytes > 20_000 && bytes < 150_000, `${bytes} bytes`);
    await page.context().close();
  });

  test('the navigation shows what the caller may do, and the address of another view shows nothing', async () => {
    const labels = async (cookie: string, title: string) => {
      const { page } = await openConsole(browser, server.address, cookie);
      const links = (await page.locator('nav a').allTextContents()).map((text) => text.trim());
      await goTo(page, 'admins', title);
      await page.context().close();
      return { links };
    };
    const ada = await labels(await some.session('team', 'ada', 'ada password'), 'There is no such page');
    const lead = await labels(await some.realmAdmin('team', 'lead'), 'There is no such page');
    const all = await labels(root, 'Administrators');
    for (const only of ['Administrators', 'Machines', 'Operations'])
      assert.deepEqual(
        [ada, lead, all].map(({ links }) => links.includes(only)),
        [false, false, true],
        only,
      );
    for (const only of ['Realms and people', 'Audit'])
      assert.deepEqual(
        [ada, lead, all].map(({ links }) => links.includes(only)),
        [false, true, true],
        only,
      );
    assert.ok(ada.links.includes('Keys') && ada.links.includes('Your account'));
  });

  test('signing out ends every tab: the console, the API page, the page of the AI runner', async () => {
    const cookie = await some.session('team', 'ada', 'ada password');
    const { page } = await openConsole(browser, server.address, cookie);
    const others = [];
    for (const path of ['/console#/keys', '/interactive-docs', '/ai']) {
      const other = await page.context().newPage();
      await other.goto(`${server.address}${path}`);
      await other.locator('h1').first().waitFor();
      others.push(other);
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    for (const each of [page, ...others]) await each.waitForURL((url) => url.pathname === '/sign-in');
    assert.equal((await server.ask('GET', '/whoami', { cookie })).status, 401);
    await page.context().close();
  });

  test('a session that ends elsewhere leads to the sign-in page at the next request', async () => {
    const cookie = await some.session('team', 'ada', 'ada password');
    const { page } = await openConsole(browser, server.address, cookie);
    await server.ask('DELETE', '/sessions/realms/team', { cookie: root });
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click();
    await page.waitForURL((url) => url.pathname === '/sign-in' && url.searchParams.get('next') === '/console' && url.hash === '#/keys');
    await page.context().close();
  });

  for (const [width, dark] of [
    [1280, false],
    [360, true],
  ] as const) {
    test(`the overview is accessible at ${width} pixels${dark ? ' in the dark' : ''}, and the menu opens by keyboard`, async () => {
      const { page, complaints, strayed } = await openConsole(browser, server.address, root, '', { width, dark });
      await assertFit(page, 'the overview');
      if (width === 360) {
        await page.getByRole('button', { name: 'Menu' }).focus();
        await page.keyboard.press('Enter');
        await assertFit(page, 'the menu');
        await page.keyboard.press('Escape');
        assert.equal(await page.getByRole('navigation').isVisible(), false);
      }
      assert.deepEqual([complaints, strayed], [[], []]);
      await page.context().close();
    });
  }
}

test.run();
