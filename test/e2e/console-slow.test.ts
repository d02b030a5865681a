// The console where answers are slow or do not come: nothing is asked twice, no question closes another, and what fails is told.
import assert from 'node:assert/strict';
import type { Page, Route } from 'playwright-core';
import { test } from 'uvu';
import { startServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { goTo, openConsole, openStage, type Stage } from './console.ts';

/** Longer than it takes to press a few keys. */
const SLOW_MS = 1_500;

let stage: Stage;

/** @returns what the page has sent, and holds back each until the time is over */
async function slow(page: Page): Promise<string[]> {
  const sent: string[] = [];
  await page.route('**/*', async (route) => {
    const request = route.request();
    if (request.method() !== 'GET') {
      sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
      await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    }
    await route.continue().catch(() => {});
  });
  return sent;
}

const isOpen = (page: Page) => page.evaluate('document.getElementById("dialog").open');
const openForm = (page: Page) => page.getByRole('button', { name: 'Make a realm' }).first().click();

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
  });
  test.after(() => stage?.end());

  test('a double click makes one, and a question that is on its way is not closed before its answer', async () => {
    const { page, complaints } = await openConsole(stage.browser, stage.server.address, stage.root, 'realms');
    const sent = await slow(page);
    await openForm(page);
    await page.locator('dialog input').first().fill('slow');
    await page.locator('dialog button[type=submit]').dblclick();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await isOpen(page), true);
    await page.locator('dialog').waitFor({ state: 'hidden' });
    assert.deepEqual(sent, ['POST /admins/realms']);
    await page.locator('main').getByText('slow', { exact: true }).first().waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('the way back closes a question, which belongs to the view before', async () => {
    const { page } = await openConsole(stage.browser, stage.server.address, stage.root, 'keys');
    await page.evaluate('location.hash = "#/realms"');
    await page.getByRole('heading', { level: 1, name: 'Realms and people' }).waitFor();
    await openForm(page);
    assert.equal(await isOpen(page), true);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    assert.equal(await isOpen(page), false);
    await page.context().close();
  });

  test('a button whose request does not arrive says so, and signing out too', async () => {
    const { server, browser, root: cookie } = stage;
    const { body: made } = await server.ask('POST', '/v1/crypto/keys', { cookie, body: { kty: 'oct', alg: 'A256GCM' } });
    for (const [view, button] of [
      [`key/${made.kid}`, 'Revoke'],
      ['account', 'Sign out'],
    ] as const) {
      const { page } = await openConsole(browser, server.address, cookie, view);
      const press = page.getByRole('button', { name: button, exact: true });
      await press.waitFor();
      await page.route('**/*', (route) => route.abort());
      await press.click();
      await page.getByText('The server cannot be reached').waitFor();
      await page.context().close();
    }
  });

  test('where an answer is lost, the form says that the work may be done', async () => {
    const { page } = await openConsole(stage.browser, stage.server.address, stage.root, 'realms');
    const alert = page.locator('dialog').getByRole('alert');
    const maybe = 'What you sent may have been done all the same: look before you send it again.';
    for (const [name, answer] of [
      ['lost', (route: Route) => route.abort()],
      ['lost-by-a-proxy', (route: Route) => route.fulfill({ status: 504, body: '<h1>Gateway Time-out</h1>' })],
    ] as const) {
      await page.route('**/admins/realms', async (route) => {
        await route.fetch();
        await answer(route);
      });
      await openForm(page);
      await page.locator('dialog input').first().fill(name);
      await page.locator('dialog button[type=submit]').click();
      await alert.filter({ hasText: maybe }).waitFor();
      await page.unroute('**/admins/realms');
      await page.locator('dialog button[type=submit]').click();
      await alert.filter({ hasNotText: maybe }).waitFor();
      assert.match((await alert.textContent()) ?? '', /exists|there/);
      await page.getByRole('button', { name: 'Cancel' }).click();
    }
    await page.context().close();
  });

  // The last one: it ends the server.
  test('while the server restarts, what is live says that it is old, and all views go on by themselves', async () => {
    const { server, browser, root: cookie } = stage;
    const [live, typed, other] = await Promise.all(['operations', 'new-key', 'keys'].map((view) => openConsole(browser, server.address, cookie, view)));
    assert.ok(live && typed && other);
    const old = live.page.getByText('The server has not answered since').filter({ visible: true });
    await live.page.getByText('ready', { exact: true }).waitFor();
    await typed.page.getByLabel('Name').fill('patient');
    assert.equal(await old.count(), 0);
    await server.stop();
    await goTo(other.page, 'audit', 'This cannot be shown');
    await old.waitFor();
    await typed.page.getByRole('button', { name: 'Make the key' }).click();
    await typed.page.getByRole('alert').filter({ hasText: 'The server cannot be reached.' }).waitFor();
    const again = await startServer({ dataDir: server.dataDir, argv: ['--port', new URL(server.address).port] });
    await old.waitFor({ state: 'detached' });
    await other.page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    await typed.page.getByRole('button', { name: 'Make the key' }).click();
    await typed.page.getByRole('heading', { level: 1, name: 'patient' }).waitFor();
    await Promise.all([live, typed, other].map(({ page }) => page.context().close()));
    await again.end();
  });
}

test.run();
