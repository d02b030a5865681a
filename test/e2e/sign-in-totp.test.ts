// The sign-in page in Chromium for a user with a second factor and a forced change: password, code, new password, and on to a page of ours.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { test } from 'uvu';
import { openBrowser, openPage } from '../browser.ts';
import { people } from '../people.ts';
import { signInAdmin, startServer, type TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';

let server: TestServer;
let browser: Browser;

if (!skipWithout('chromium')) {
  test.before(async () => {
    server = await startServer();
    browser = await openBrowser();
  });
  test.after(async () => {
    await browser?.close();
    await server?.end();
  });

  test('password, a wrong code, the right one, a new password: signed in, on the page that was asked for', async () => {
    const they = people(server, await signInAdmin(server));
    await they.realm('r');
    await they.user('r', 'ann', 'anns password');
    const totp = await they.enrol('r', 'ann', await they.session('r', 'ann', 'anns password'));
    assert.equal((await server.ask('PUT', '/realms/r/userpass/ann', { cookie: they.root, body: { change_password: true } })).status, 200);
    const { page, complaints, strayed } = await openPage(browser, server.address);
    await page.goto(`${server.address}/sign-in?realm=r&next=${encodeURIComponent('/public/version?from=sign-in')}`);
    await page.getByLabel('User').fill('ann');
    await page.getByLabel('Password', { exact: true }).fill('anns password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    assert.equal(await page.locator(':focus').getAttribute('id'), 'totp');
    const wrong = they.code(totp, 20);
    await page.getByLabel('Code').fill(wrong);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The code is wrong').waitFor();
    assert.equal(await page.getByLabel('Code').inputValue(), '');
    // The browser itself tells of the 401 in its console; everything else would be a complaint of the page.
    assert.ok(
      complaints.every((text) => text.includes('401')),
      complaints.join('\n'),
    );
    const before = complaints.length;
    await page.getByLabel('Code').fill(they.code(totp).replace(/^(...)/, '$1 '));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await page.getByLabel('New password', { exact: true }).fill('anns next password');
    await page.getByLabel('Repeat the new password').fill('anns next password');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.address}/public/version?from=sign-in`);
    assert.deepEqual([complaints.slice(before), strayed], [[], []]);
    const [cookie] = await page.context().cookies();
    const me = await server.ask('GET', '/whoami', { cookie: cookie?.value });
    assert.deepEqual([me.status, me.body.sub, me.body.as_rid], [200, 'ann', 'r']);
    assert.equal((await they.signIn('r', 'ann', 'anns password')).status, 401);
    await page.context().close();
  });
}

test.run();
