// Forms and lists of the console in Chromium show the present state: after another choice, in the next view of the same kind, and when a page of a list has become empty.
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { test } from 'uvu';
import type { TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { goTo, makeKey, openConsole, openStage, type Stage } from './console.ts';

let stage: Stage | undefined;
let server: TestServer;
let browser: Browser;
let root: string;

const choose = (page: Page, purpose: string) => page.getByRole('radio', { name: purpose }).check();

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    ({ server, root, browser } = stage);
  });
  test.after(() => stage?.end());

  test('another purpose brings its own rotation and recommended kind, whatever was chosen before', async () => {
    const { page } = await openConsole(browser, server.address, root, 'new-key');
    const [rotate, days, kind] = [page.getByLabel('Replace it regularly'), page.getByLabel('Every … days'), page.getByLabel('Kind')];
    await choose(page, 'Encrypt data');
    await rotate.uncheck();
    await rotate.check();
    await kind.selectOption({ label: 'AES 128' });
    await choose(page, 'Wrap other keys');
    assert.deepEqual([await rotate.isChecked(), await days.count()], [false, 0]);
    await choose(page, 'Sign');
    assert.deepEqual([await rotate.isChecked(), await days.count()], [true, 1]);
    assert.equal(await kind.inputValue(), 'P_256');
    await page.context().close();
  });

  test('what was typed for one key does not stand in the form of the next', async () => {
    const [one, other] = [await makeKey(stage as Stage, { kty: 'oct' }), await makeKey(stage as Stage, { kty: 'oct' })];
    const { page } = await openConsole(browser, server.address, root, `key/${one}`);
    await page.getByText('Grant its use').click();
    await page.getByLabel('User').fill('team/ada');
    await page.getByLabel('Decrypt').uncheck();
    await goTo(page, `key/${other}`, other);
    assert.equal(await page.getByLabel('User').inputValue(), '');
    assert.equal(await page.getByLabel('Decrypt').isChecked(), true);
    await page.context().close();
  });

  test('back from a search, the fields say what the list before was searched for', async () => {
    const { page } = await openConsole(browser, server.address, root, 'keys');
    const state = page.getByLabel('State');
    for (const label of ['Active', 'Compromised']) {
      await state.selectOption({ label });
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL(new RegExp(`state=${label}`));
      // The list of a search is drawn: what is chosen before that gives way to what was searched.
      await page.getByRole('link', { name: 'Clear' }).waitFor();
    }
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor({ state: 'detached' });
    assert.equal(await state.inputValue(), 'Active');
    await page.context().close();
  });

  test('a signature of another key is not shown as one of the key of the page', async () => {
    const [one, other] = [await makeKey(stage as Stage, { kty: 'EC' }), await makeKey(stage as Stage, { kty: 'EC' })];
    const payload = Buffer.from('release 7').toString('base64url');
    const { body } = await server.ask('POST', '/v1/crypto/sign', { cookie: root, body: { kid: other, alg: 'ES256', data: payload } });
    const { page } = await openConsole(browser, server.address, root, `key/${one}`);
    await page.getByLabel('What to do').selectOption({ label: 'Verify a signature' });
    await page.getByLabel('Signed text (JWS)', { exact: true }).fill(`${body.protected}.${payload}.${body.signature}`);
    await page.getByRole('button', { name: 'Verify a signature' }).click();
    await page.getByText('It names another key than that of this page').waitFor();
    await page.getByText(other).waitFor();
    await page.context().close();
  });

  test('tags of an imported key are separated by commas, as the field says', async () => {
    const { page } = await openConsole(browser, server.address, root, 'import-key');
    await page.getByLabel('Key', { exact: true }).fill(Buffer.alloc(32, 7).toString('base64'));
    await page.getByLabel('Name').fill('tagged');
    await page.getByLabel('Tags').fill('team a, billing');
    await page.getByRole('button', { name: 'Import the key' }).click();
    await page.getByRole('heading', { level: 1, name: 'tagged' }).waitFor();
    await page.getByText('team a', { exact: true }).waitFor();
    await page.context().close();
  });

  test('when the only secret id of a last page is destroyed, those of the first are shown', async () => {
    assert.equal((await server.ask('POST', '/auth/approle/role/many', { cookie: root, body: { token_ttl: 600 } })).status, 204);
    for (let at = 0; at < 26; at++) assert.equal((await server.ask('POST', '/auth/approle/role/many/secret-id', { cookie: root })).status, 200);
    const { page } = await openConsole(browser, server.address, root, 'machine/approle/many');
    const part = page.getByRole('region', { name: 'Secret ids' });
    await part.getByRole('button', { name: 'Next' }).click();
    await part
      .getByRole('button', { name: /^Destroy/ })
      .nth(1)
      .waitFor({ state: 'detached' });
    await part.getByRole('button', { name: /^Destroy/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Destroy' }).click();
    await part
      .getByRole('button', { name: /^Destroy/ })
      .nth(24)
      .waitFor();
    await page.context().close();
  });
}

test.run();
