// Long lists of the console in Chromium: Next leads on, and Back to the page before, not to the first; the address names the page.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { test } from 'uvu';
import { people } from '../people.ts';
import { skipWithout } from '../system.ts';
import { openConsole, openStage, type Stage } from './console.ts';

let stage: Stage | undefined;

const MANY = 120;

/** Goes to the third page and back to the first, a page at a time. @param part of the page that has the list and its buttons */
async function walk(page: Page, part: Locator, what: string): Promise<void> {
  const rows = () => part.getByRole('table').first().innerText();
  const press = async (name: 'Next' | 'Back') => {
    const before = await rows();
    await part.getByRole('button', { name, exact: true }).first().click();
    await page.waitForFunction(([seen, at]) => (at as unknown as { innerText: string }).innerText !== seen, [
      before,
      await part.getByRole('table').first().elementHandle(),
    ] as const);
    return rows();
  };
  const first = await rows();
  const second = await press('Next');
  assert.notEqual(await press('Next'), second, what);
  assert.equal(await press('Back'), second, what);
  assert.equal(await press('Back'), first, what);
  assert.ok(await part.getByRole('button', { name: 'Back', exact: true }).first().isDisabled(), what);
}

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    const { server, root } = stage;
    const some = people(server, root);
    for (let at = 0; at < MANY; at++) await some.realm(`r${at}`);
    await some.user('r0', 'ann', 'ann password');
    for (let at = 0; at < 25; at++) {
      await some.session('r0', 'ann', 'ann password');
      // The list tells when each began, to the second.
      await server.runtime.advance(1_000);
    }
    for (let at = 0; at < 60; at++) {
      await server.ask('POST', `/auth/approle/role/m${at}`, { cookie: root });
      await server.ask('POST', '/auth/approle/role/m0/secret-id', { cookie: root });
    }
  });
  test.after(() => stage?.end());

  for (const [view, region] of [
    ['realms', undefined],
    ['audit', undefined],
    ['machines', undefined],
    ['machine/approle/m0', 'Secret ids'],
    ['person/r0/ann', 'Sessions'],
  ] as const)
    test(`Back leads to the page before: ${view}${region === undefined ? '' : `, ${region}`}`, async () => {
      const { server, browser, root } = stage as Stage;
      const { page, complaints } = await openConsole(browser, server.address, root, view);
      await walk(page, region === undefined ? page.getByRole('main') : page.getByRole('region', { name: region }), view);
      assert.deepEqual(complaints, []);
      await page.context().close();
    });

  for (const view of ['realms', 'machines'])
    test(`a page of a list is there again when one comes back from what it leads to, and after a reload: ${view}`, async () => {
      const { server, browser, root } = stage as Stage;
      const { page, complaints } = await openConsole(browser, server.address, root, view);
      const links = page.getByRole('table').first().getByRole('link');
      const first = (await links.first().textContent()) as string;
      await page.getByRole('button', { name: 'Next', exact: true }).first().click();
      await page.getByRole('link', { name: first, exact: true }).waitFor({ state: 'detached' });
      const second = await links.allTextContents();
      await links.last().click();
      await page.getByRole('link', { name: second[0] as string, exact: true }).waitFor({ state: 'detached' });
      await page.goBack();
      await page.getByRole('link', { name: second[0] as string, exact: true }).waitFor();
      assert.deepEqual(await links.allTextContents(), second);
      await page.reload();
      await page.getByRole('link', { name: second[0] as string, exact: true }).waitFor();
      assert.deepEqual(await links.allTextContents(), second);
      assert.deepEqual(complaints, []);
      await page.context().close();
    });
}

test.run();
