// What others have written is shown as text in Chromium: names of people, roles, claims, administrators and machines, in every view and on every page.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { test } from 'uvu';
import { openPage } from '../browser.ts';
import { people } from '../people.ts';
import type { TestServer } from '../server.ts';
import { skipWithout } from '../system.ts';
import { assertFit, giveCookie, goTo, openConsole, openStage, type Stage } from './console.ts';

/** Each is a user name that the server takes: no `/`, no `:`, no control character. */
const HOSTILE: Readonly<Record<string, string>> = {
  markup: '<img src=x onerror=alert(1)>',
  script: '<script>alert(2)<\\script>',
  bidi: '\u202egnp.exe\u2066',
  'zero width': 'zero\u200bwidth\ufeff',
  long: 'w'.repeat(200),
  attribute: '" onfocus=alert(3) autofocus x="',
  template: `\${alert(4)}{{constructor.constructor('alert(5)')()}}`,
};
const NAMES = Object.values(HOSTILE);
const ACCOUNT = 'ada <b onmouseover=alert(6)>\u202eb';

let stage: Stage | undefined;
let server: TestServer;
let browser: Browser;
let root: string;

const VIEWS: readonly (readonly [view: string, title: string | RegExp, seen: readonly string[]])[] = [
  ['', /^Welcome/, []],
  ['realm/team', 'Realm team', NAMES],
  ...NAMES.map((name) => [`person/team/${encodeURIComponent(name)}`, /./, [name]] as const),
  ['admins', 'Administrators', NAMES],
  ['machine/approle/hostile', 'Role hostile', [HOSTILE['markup'] as string]],
  ['audit', 'Audit', [HOSTILE['markup'] as string]],
  [`audit?actor=${encodeURIComponent(HOSTILE['script'] as string)}`, 'Audit', [HOSTILE['script'] as string]],
  [`realm/${encodeURIComponent(HOSTILE['markup'] as string)}`, 'This cannot be shown', []],
  [encodeURIComponent(HOSTILE['markup'] as string), 'There is no such page', []],
];

if (!skipWithout('chromium')) {
  test.before(async () => {
    stage = await openStage();
    ({ server, root, browser } = stage);
    const some = people(server, root);
    await some.realm('team');
    for (const name of NAMES) {
      await some.user('team', name, 'a password', { roles: [name], extra_claims: { [name]: name } });
      const admin = await server.ask('POST', '/admins', { cookie: root, body: { id: name, realms: ['team'], userpass: name } });
      assert.equal(admin.status, 201, admin.text);
      // Anybody may write into the audit log by a sign-in that fails.
      await server.ask('POST', '/login?realm=team', { user: `${name}:wrong` });
    }
    await some.user('team', ACCOUNT, 'a password');
    const role = await server.ask('POST', '/auth/approle/role/hostile', { cookie: root, body: { token_policies: [HOSTILE['markup']] } });
    assert.equal(role.status, 204, role.text);
  });
  test.after(() => stage?.end());

  for (const width of [1_280, 360])
    test(`hostile names are text in every view of the console at ${width} pixels`, async () => {
      const { page, complaints, strayed } = await openConsole(browser, server.address, root, '', { width });
      page.on('dialog', () => complaints.push('a script of others ran'));
      for (const [view, title, seen] of VIEWS) {
        await goTo(page, view, title);
        for (const name of seen) await page.locator('main').getByText(name, { exact: false }).first().waitFor({ state: 'attached' });
        assert.equal(await page.locator('main img, main script, main [onerror], main [onfocus], main [onmouseover]').count(), 0, view);
        await assertFit(page, view);
      }
      // What is not there is answered with 404, which Chromium notes.
      assert.deepEqual([complaints.filter((text) => !/404/.test(text)), strayed], [[], []]);
      await page.context().close();
    });

  test('a hostile name is text in the frame of every page, and on the page on which one signs in', async () => {
    const cookie = (await server.ask('POST', '/login?realm=team', { user: `${ACCOUNT}:a password` })).cookie as string;
    const { page, complaints, strayed } = await openPage(browser, server.address, { width: 360 });
    page.on('dialog', () => complaints.push('a script of others ran'));
    await giveCookie(page, server.address, cookie);
    for (const [path, place] of [
      ['/console#/account', '.who bdi'],
      ['/ai', '.who bdi'],
      ['/interactive-docs', '.who bdi'],
      ['/sign-in', '#done'],
    ] as const) {
      await page.goto(`${server.address}${path}`);
      await page.locator(place).filter({ hasText: ACCOUNT }).first().waitFor({ state: 'attached' });
      assert.equal(await page.locator('[onmouseover]').count(), 0, path);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} sticks out`);
    }
    assert.deepEqual([complaints, strayed], [[], []]);
    await page.context().close();
  });
}

test.run();
