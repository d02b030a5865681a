// The pages of the server share one frame in Chromium: sign-in, the AI runner and the API have the bar and the navigation of the console, at any width.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { test } from 'uvu';
import { openPage } from '../browser.ts';
import type { TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { assertFit, giveCookie, openStage, press, type Stage } from './console.ts';

const LOOKS = [
  [1280, false],
  [1280, true],
  [360, false],
  [360, true],
] as const;
const PAGES = [
  ['/ai', 'AI runner'],
  ['/interactive-docs', 'API'],
] as const;

let stage: Stage | undefined;
let server: TestServer;
let browser: Browser;
let root: string;

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    ({ server, root, browser } = stage);
  });
  test.after(() => stage?.end());

  for (const [width, dark] of LOOKS)
    test(`the pages in one frame are accessible at ${width} pixels ${dark ? 'in the dark' : 'in light'}`, async () => {
      const { page, complaints, strayed } = await openPage(browser, server.address, { width, dark });
      await page.goto(`${server.address}/sign-in`);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      assert.equal(await page.getByRole('banner').innerText(), 'gatehouse');
      await assertFit(page, 'sign-in');
      await giveCookie(page, server.address, root);
      for (const [path, label] of PAGES) {
        await page.goto(`${server.address}${path}`);
        await page.getByRole('button', { name: 'Sign out' }).waitFor();
        await page.locator('#groups:not([aria-busy]), #base').waitFor();
        await assertFit(page, path);
        const current = await page.locator('nav a[aria-current=page]').allTextContents();
        assert.deepEqual(
          current.map((text) => text.trim()),
          [label],
        );
      }
      assert.deepEqual([complaints, strayed], [[], []]);
      await page.context().close();
    });

  test('by keyboard one goes from page to page, and out', async () => {
    const { page } = await openPage(browser, server.address, { width: 1280 });
    await giveCookie(page, server.address, root);
    await page.goto(server.address);
    await page.getByRole('heading', { level: 1, name: /Welcome/ }).waitFor();
    await press(page, 'AI runner', 'link');
    await page.getByRole('heading', { level: 1, name: 'AI runner' }).waitFor();
    await press(page, 'Skip to the content', 'link');
    assert.equal(await page.evaluate('document.activeElement.id'), 'main');
    await press(page, 'Keys', 'link');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await press(page, 'API', 'link');
    await page.getByLabel('Find an operation').waitFor();
    await press(page, 'Sign out');
    await page.waitForURL(`${server.address}/sign-in?next=%2Finteractive-docs`);
    await page.context().close();
  });
}

test.run();
